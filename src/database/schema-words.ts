/** The words of columns that have a fixed set of them. */

export const SUBSCRIPTION_STATUSES = [
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'paused',
  'internal',
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

export const TIERS = ['builder', 'studio', 'scale', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]

export const INTERVALS = ['monthly', 'annual'] as const
export type BillingInterval = (typeof INTERVALS)[number]

/** How the payment processor's records differ from what this service supports; an operator should look at it. */
export const PAYMENT_REMARKS = [
  'unknown_price',
  'subscription_gone',
  'several_subscriptions',
  'beside_contract',
  'several_plans',
  'quantity',
  'extra_answers_price',
  'extra_answers_missing',
  'collection_paused',
] as const
export type PaymentRemark = (typeof PAYMENT_REMARKS)[number]

export const SOURCE_STATUSES = ['pending', 'active', 'error', 'disabled'] as const
export type SourceStatus = (typeof SOURCE_STATUSES)[number]

export const ENTITY_TYPES = ['person', 'organization', 'channel', 'topic'] as const
export type EntityType = (typeof ENTITY_TYPES)[number]
/** A source is an entity too, so that its items are counted like any other's. */
export const STORED_ENTITY_TYPES = [...ENTITY_TYPES, 'source'] as const
export type StoredEntityType = (typeof STORED_ENTITY_TYPES)[number]

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** `person`: a member disabled it; `gone`: it answered 410; `failing`: nothing was delivered for three days. */
export const WEBHOOK_DISABLED_REASONS = ['person', 'gone', 'failing'] as const
export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number]

/** docs/reference/webhooks.md explains each. */
export const DELIVERY_ERRORS = [
  'address_not_allowed',
  'name_not_found',
  'connection_failed',
  'tls_failed',
  'timeout',
  'redirected',
  'gone',
  'refused',
  'secret_unreadable',
  'webhook_disabled',
] as const
export type DeliveryError = (typeof DELIVERY_ERRORS)[number]

export const ENDED_SYNC_RUN_STATUSES = ['succeeded', 'failed'] as const
export type EndedSyncRunStatus = (typeof ENDED_SYNC_RUN_STATUSES)[number]

export const SYNC_RUN_STATUSES = ['queued', 'running', ...ENDED_SYNC_RUN_STATUSES] as const
export type SyncRunStatus = (typeof SYNC_RUN_STATUSES)[number]
