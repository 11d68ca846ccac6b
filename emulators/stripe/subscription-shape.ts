import type Stripe from 'stripe'
import type { Account, Price, Subscription, SubscriptionItem, SubscriptionStatus } from './account.ts'
import { listOf } from './account.ts'

/** Fields that the emulator leaves empty. */
const UNUSED = {
  application: null,
  application_fee_percent: null,
  billing_cycle_anchor_config: null,
  billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
  billing_schedules: [],
  billing_thresholds: null,
  collection_method: 'charge_automatically',
  customer_account: null,
  days_until_due: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  managed_payments: { enabled: false },
  next_pending_invoice_item_invoice: null,
  on_behalf_of: null,
  pause_collection: null,
  pending_invoice_item_interval: null,
  pending_setup_intent: null,
  pending_update: null,
  test_clock: null,
  transfer_data: null,
  invoice_settings: {
    account_tax_ids: null,
    custom_fields: null,
    description: null,
    footer: null,
    issuer: { type: 'self' },
  },
  payment_settings: {
    payment_method_options: null,
    payment_method_types: null,
    save_default_payment_method: 'off',
  },
} satisfies Partial<Stripe.Subscription>

/** What happens at a trial's end without a card. */

export function newSubscription(
  account: Account,
  given: {
    customer: string
    status: SubscriptionStatus
    anchor: number
    trial: { start: number; end: number } | null
    metadata: Record<string, string>
    paymentMethod: string | null
    automaticTax: boolean
  },
): Subscription {
  const id = account.newId('sub')
  const now = account.clock.now()
  return {
    ...UNUSED,
    id,
    object: 'subscription',
    automatic_tax: {
      disabled_reason: null,
      enabled: given.automaticTax,
      liability: given.automaticTax ? { type: 'self' } : null,
    },
    billing_cycle_anchor: given.anchor,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    created: now,
    currency: 'usd',
    customer: given.customer,
    default_payment_method: given.paymentMethod,
    discounts: [],
    ended_at: null,
    items: listOf([], `/v1/subscription_items?subscription=${id}`),
    latest_invoice: null,
    livemode: false,
    metadata: given.metadata,
    schedule: null,
    start_date: now,
    status: given.status,
    trial_end: given.trial?.end ?? null,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' },
    },
    trial_start: given.trial?.start ?? null,
  }
}

export function newItem(
  account: Account,
  given: {
    subscription: string
    price: Price
    quantity: number
    period: { start: number; end: number }
    metadata?: Record<string, string>
  },
): SubscriptionItem {
  const { price, period } = given
  const isMetered = price.recurring.usage_type === 'metered'
  return {
    id: account.newId('si'),
    object: 'subscription_item',
    billing_thresholds: null,
    created: account.clock.now(),
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata: given.metadata ?? {},
    plan: planOf(price),
    price,
    ...(isMetered ? {} : { quantity: given.quantity }),
    subscription: given.subscription,
    tax_rates: [],
  }
}

/** A price in the legacy plan form, which items still carry. */
export function planOf(price: Price): Stripe.Plan {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring.interval,
    interval_count: price.recurring.interval_count,
    livemode: false,
    metadata: price.metadata,
    meter: price.recurring.meter,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: price.recurring.usage_type,
  }
}
