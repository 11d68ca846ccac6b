import type { Stripe } from 'stripe'
import { type PaymentRemark, SUBSCRIPTION_STATUSES } from '../../database/schema-words.ts'
import { PLANS, SOLD_TIERS, type SoldTier } from '../plans/plans.ts'
import {
  OVERAGE_METER,
  planOfLookupKey,
  ProcessorFailure,
  type SoldPlan,
  type SubscriptionReading,
} from '../payment-processor.ts'
import { idOf, plannedChange } from './stripe-schedule.ts'

export type PlanOfProduct = ReadonlyMap<string, SoldTier>

/** What a reading needs besides the subscriptions. */
export interface Catalog {
  planOfProduct: PlanOfProduct
  planned: readonly Stripe.Price[]
  /** The meter of extra answers; null: any, since nothing else is metered. */
  meter: string | null
}

const STATUSES: ReadonlySet<string> = new Set(SUBSCRIPTION_STATUSES.filter((status) => status !== 'internal'))

function isStatus(status: string): status is SubscriptionReading['status'] {
  return STATUSES.has(status)
}

/** Whether every subscription and planned price has one of our lookup keys. */
export function knowsPrices(
  subscriptions: readonly Stripe.Subscription[],
  planned: readonly Stripe.Price[],
): boolean {
  return (
    planned.every((price) => isMetered(price) || isPlan(price)) &&
    subscriptions.every(({ items }) => items.data.some(({ price }) => isPlan(price)))
  )
}

/** Translates a customer's subscriptions from Stripe, newest first. @throws ProcessorFailure for an unreadable one */
export function readSubscriptions(
  subscriptions: readonly Stripe.Subscription[],
  catalog: Catalog,
): SubscriptionReading[] {
  return subscriptions
    .map((subscription) => toReading(subscription, catalog))
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
}

function isPlan({ lookup_key: key }: Stripe.Price): boolean {
  return planOfLookupKey(key ?? '') !== undefined
}

function isMetered(price: Stripe.Price): boolean {
  return price.lookup_key === OVERAGE_METER || price.recurring?.usage_type === 'metered'
}

/** Whether a metered price is unknown by its lookup key: a replaced price of extra answers, or of something else. */
export function isOtherMetered(price: Stripe.Price): boolean {
  return price.lookup_key !== OVERAGE_METER && isMetered(price)
}

function chargesAnswers(price: Stripe.Price, meter: string | null): boolean {
  if (!isOtherMetered(price)) return isMetered(price)
  return meter === null || price.recurring?.meter === meter
}

function toReading(subscription: Stripe.Subscription, catalog: Catalog): SubscriptionReading {
  const { id, status } = subscription
  if (!isStatus(status))
    throw new ProcessorFailure('unavailable', `${id} has the status ${status}, which is unknown here`)
  const parts = partsOf(subscription, catalog)
  const { item, plan, meter } = parts
  const interval = plan?.interval ?? (item.price.recurring?.interval === 'year' ? 'annual' : 'monthly')
  const isMonthlyMeter = meter?.price.recurring?.interval === 'month'
  const charged = interval === 'annual' && isMonthlyMeter ? meter : item
  return {
    id,
    status,
    tier: plan?.tier ?? null,
    interval,
    periodStart: fromSeconds(charged.current_period_start),
    periodEnd: fromSeconds(charged.current_period_end),
    isYear: interval === 'annual' && charged === item && status !== 'trialing',
    trialEndsAt: subscription.trial_end === null ? null : fromSeconds(subscription.trial_end),
    cancelAtPeriodEnd:
      subscription.ended_at === null &&
      (subscription.cancel_at_period_end ||
        (subscription.cancel_at !== null && subscription.cancel_at <= item.current_period_end)),
    planned: plannedChange(subscription, {
      present: plan,
      periodEnd: item.current_period_end,
      plans: plansOf(catalog),
    }),
    paymentMethodMissing: isPaymentMethodMissing(subscription),
    hasMeter: meter !== undefined,
    remarks: remarksOn(subscription, parts),
    createdAt: fromSeconds(subscription.created),
  }
}

interface Parts {
  /** The plan's item; the largest if there are several. */
  item: Stripe.SubscriptionItem
  /** null: no known plan. */
  plan: SoldPlan | null
  plans: number
  meter: Stripe.SubscriptionItem | undefined
}

function partsOf({ id, items }: Stripe.Subscription, { planOfProduct, meter: answers }: Catalog): Parts {
  const meter = items.data.find(({ price }) => chargesAnswers(price, answers))
  const licensed = items.data.filter(({ price }) => !isMetered(price))
  const sold = licensed
    .flatMap((item) => {
      const plan = planOf(item.price, planOfProduct)
      return plan === undefined ? [] : [{ item, plan }]
    })
    .toSorted((a, b) => SOLD_TIERS.indexOf(b.plan.tier) - SOLD_TIERS.indexOf(a.plan.tier))
  const item = sold[0]?.item ?? licensed[0] ?? items.data[0]
  if (item === undefined) throw new ProcessorFailure('unavailable', `${id} has no items`)
  return { item, plan: sold[0]?.plan ?? null, plans: sold.length, meter }
}

function plansOf({ planned, planOfProduct }: Catalog): Map<string, SoldPlan> {
  return new Map(
    planned.flatMap((price) => {
      const plan = isMetered(price) ? undefined : planOf(price, planOfProduct)
      return plan === undefined ? [] : [[price.id, plan] as const]
    }),
  )
}

function remarksOn(
  { pause_collection: paused }: Stripe.Subscription,
  { item, plan, plans, meter }: Parts,
): PaymentRemark[] {
  const expected = plan === null ? null : PLANS[plan.tier].extraAnswerMicroUsd
  const isOtherPrice = expected !== null && meter !== undefined && microUsdOf(meter.price) !== expected
  const found: [PaymentRemark, boolean][] = [
    ['several_plans', plans > 1],
    ['quantity', (item.quantity ?? 1) !== 1],
    ['extra_answers_price', isOtherPrice],
    ['collection_paused', paused !== null],
  ]
  return found.flatMap(([remark, isSo]) => (isSo ? [remark] : []))
}

const MICRO_USD_OF_CENT = 10_000

/** The unit price in millionths of a US dollar; null: another currency, or tiered. */
function microUsdOf({ currency, unit_amount_decimal: cents }: Stripe.Price): number | null {
  if (currency !== 'usd' || cents === null) return null
  return Math.round(Number(String(cents)) * MICRO_USD_OF_CENT)
}

function planOf(price: Stripe.Price, planOfProduct: PlanOfProduct): SoldPlan | undefined {
  const byKey = planOfLookupKey(price.lookup_key ?? '')
  if (byKey) return byKey
  const tier = planOfProduct.get(idOf(price.product))
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
