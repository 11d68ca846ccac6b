export { createRateLimit, type RateLimit, type RateLimitOptions, type RateSubject } from './rate-limit.ts'
