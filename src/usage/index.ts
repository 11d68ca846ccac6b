export { noteLowCredits } from './credit-notices.ts'
export { createCredits, type Credits } from './credits.ts'
export { createRateLimit, type RateLimit } from './rate-limit.ts'
export { usageRoutes, type UsageServices } from './routes.ts'
