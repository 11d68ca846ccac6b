export { createCredits, type Credits } from './credits.ts'
export { createRateLimit, type RateLimit, type RateLimitOptions, type RateSubject } from './rate-limit.ts'
