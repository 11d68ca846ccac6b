export { createApiKeys, insertApiKey, type CheckKeyLimit } from './api-keys.ts'
export { describeSecret, newApiKeySecret } from './api-key-secret.ts'
export { authenticateApiKey } from './authenticate-api-key.ts'
export { accessRoutes } from './routes.ts'
