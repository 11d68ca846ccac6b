export { noteLowCredits } from './credit-notices.ts'
export { createCredits, type Credits } from './credits.ts'
export { requireSubscription } from './period.ts'
