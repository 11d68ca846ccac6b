import type { Stripe } from 'stripe'
import type { BillingInterval } from '../../database/schema.ts'
import type { SoldTier } from '../plans/plans.ts'
import {
  type CustomerReading,
  OVERAGE_METER,
  planOfLookupKey,
  type SubscriptionReading,
} from '../payment-processor.ts'

/** The tier of each product that is one tier's only. */
export type PlanOfProduct = ReadonlyMap<string, SoldTier>

const STATUSES: ReadonlySet<string> = new Set<SubscriptionReading['status']>([
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'paused',
])

function isStatus(status: string): status is SubscriptionReading['status'] {
  return STATUSES.has(status)
}

/** Whether every subscription has a price whose lookup key is one of ours. */
export function knowsPrices(subscriptions: readonly Stripe.Subscription[]): boolean {
  return subscriptions.every(({ items }) =>
    items.data.some(({ price }) => planOfLookupKey(price.lookup_key ?? '') !== undefined),
  )
}

/** Stripe's subscriptions of a customer in our words. */
export function toCustomerReading(
  subscriptions: readonly Stripe.Subscription[],
  planOfProduct: PlanOfProduct,
): Pick<CustomerReading, 'subscriptions' | 'unknown'> {
  const reading: Pick<CustomerReading, 'subscriptions' | 'unknown'> = { subscriptions: [], unknown: [] }
  for (const subscription of subscriptions) {
    const known = toReading(subscription, planOfProduct)
    if (known) reading.subscriptions.push(known)
    else
      reading.unknown.push({
        id: subscription.id,
        prices: subscription.items.data.map(({ price }) => price.lookup_key ?? price.id),
        isOver: subscription.status === 'canceled' || subscription.status === 'incomplete_expired',
      })
  }
  reading.subscriptions.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  return reading
}

function isMeter({ price }: Stripe.SubscriptionItem): boolean {
  return price.lookup_key === OVERAGE_METER || price.recurring?.usage_type === 'metered'
}

function toReading(
  subscription: Stripe.Subscription,
  planOfProduct: PlanOfProduct,
): SubscriptionReading | undefined {
  const { status, items } = subscription
  if (!isStatus(status)) return undefined
  const meter = items.data.find(isMeter)
  for (const item of items.data) {
    const plan = isMeter(item) ? undefined : planOf(item.price, planOfProduct)
    if (!plan) continue
    const isMonthlyMeter = meter?.price.recurring?.interval === 'month'
    const charged = plan.interval === 'annual' && isMonthlyMeter ? meter : item
    return {
      id: subscription.id,
      status,
      ...plan,
      periodStart: fromSeconds(charged.current_period_start),
      periodEnd: fromSeconds(charged.current_period_end),
      isYear: plan.interval === 'annual' && charged === item && status !== 'trialing',
      trialEndsAt: subscription.trial_end === null ? null : fromSeconds(subscription.trial_end),
      cancelAtPeriodEnd:
        subscription.ended_at === null &&
        (subscription.cancel_at_period_end ||
          (subscription.cancel_at !== null && subscription.cancel_at <= item.current_period_end)),
      paymentMethodMissing: isPaymentMethodMissing(subscription),
      hasMeter: meter !== undefined,
      createdAt: fromSeconds(subscription.created),
    }
  }
  return undefined
}

function planOf(
  price: Stripe.Price,
  planOfProduct: PlanOfProduct,
): { tier: SoldTier; interval: BillingInterval } | undefined {
  const byKey = planOfLookupKey(price.lookup_key ?? '')
  if (byKey) return byKey
  const tier = planOfProduct.get(typeof price.product === 'string' ? price.product : price.product.id)
  const interval = price.recurring?.interval
  if (tier === undefined || (interval !== 'month' && interval !== 'year')) return undefined
  return { tier, interval: interval === 'year' ? 'annual' : 'monthly' }
}

function isPaymentMethodMissing({
  customer,
  default_payment_method: method,
  default_source: source,
}: Stripe.Subscription): boolean {
  if (method !== null || source !== null) return false
  if (typeof customer === 'string' || customer.deleted) return true
  return customer.invoice_settings.default_payment_method === null && customer.default_source === null
}

function fromSeconds(seconds: number): Date {
  return new Date(seconds * 1000)
}
