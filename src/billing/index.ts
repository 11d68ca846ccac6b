export { createBilling, type Billing } from './billing.ts'
export { countOverage } from './overage/count-overage.ts'
export { countUnreported } from './payments/while-nothing-is-owed.ts'
export { USD_PATTERN, parseUsd } from './plans/money.ts'
export { beyondPlanError, checkConnectorLimit, checkKeyLimit, keepWithinPlan } from './plans/plan-limits.ts'
export { billingRoutes } from './routes.ts'
export {
  ComparisonStatus,
  OVER_CAP,
  OverageStatus,
  RemarkedOrganization,
  Subscription,
  WaitingReport,
} from './schemas.ts'
export { createStripeProcessor } from './stripe/create-stripe-processor.ts'
export { stateAt, type SubscriptionRow, type SubscriptionState } from './subscriptions/subscription-state.ts'
export { createSubscriptions, putSubscription, type NewSubscription } from './subscriptions/subscriptions.ts'
