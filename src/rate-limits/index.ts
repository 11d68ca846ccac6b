export { createMessageLimit, type MessageLimit } from './message-limit.ts'
export { createRateLimit, type RateLimit } from './rate-limit.ts'
export { rateLimitRoutes } from './routes.ts'
