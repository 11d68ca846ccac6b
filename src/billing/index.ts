export { checkConnectorLimit, checkKeyLimit } from './plan-limits.ts'
export { PLANS, SUBSCRIPTION_STATUSES, TIERS } from './plans.ts'
export { billingRoutes, subscriptionFields, type BillingServices } from './routes.ts'
export {
  BLOCKS_OVER_CAP,
  CREDITS_INCLUDED,
  RETRIEVES,
  stateAt,
  SUBSCRIPTION_COLUMNS,
  type SubscriptionRow,
  type SubscriptionState,
} from './subscription-state.ts'
export {
  createSubscriptions,
  putSubscription,
  toSubscriptionView,
  type NewSubscription,
  type SubscriptionView,
} from './subscriptions.ts'
