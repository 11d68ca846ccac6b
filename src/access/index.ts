export { createApiKeys, insertApiKey } from './api-keys.ts'
export { describeSecret, newApiKeySecret, type NewSecret } from './api-key-secret.ts'
export { createAdmitAgent } from './admit-agent.ts'
export { authenticateApiKey } from './authenticate-api-key.ts'
export { accessRoutes } from './routes.ts'
export { enterWorkspace } from './authenticate-console.ts'
export { createIssuer, type Issuer } from './remote-issuer.ts'
export { createTokenVerifier, type VerifyToken } from './verify-token.ts'
export {
  createDevelopmentIssuer,
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ISSUER_PATH,
} from './development-issuer/issuer.ts'
