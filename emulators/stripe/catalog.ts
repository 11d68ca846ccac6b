import { Stripe } from 'stripe'
import type { Account, Price } from './account.ts'
import { INTERVALS, type Interval } from './clock.ts'

/** The meter of answers over the cap: its event name and its price's lookup key. */
export const OVERAGE = 'answers_overage'

/** The plans for sale with amounts in cents, from the API document's table. */
const PLANS = [
  { key: 'builder', name: 'Builder', monthly: 9_900, annual: 95_000 },
  { key: 'studio', name: 'Studio', monthly: 29_900, annual: 287_000 },
  { key: 'scale', name: 'Scale', monthly: 79_900, annual: 767_000 },
] as const

/** Cents per answer over the cap. */
const EXTRA_ANSWER_CENTS = '1.5'

/** Adds the plans, meter and prices that the service expects. */
export function seedCatalog(account: Account): void {
  for (const plan of PLANS) {
    const product = addProduct(account, plan.name)
    for (const [term, interval] of [
      ['monthly', 'month'],
      ['annual', 'year'],
    ] as const) {
      const lookupKey = `${plan.key}_${term}`
      addPrice(account, { product, lookupKey, interval, unitAmount: String(plan[term]), meter: null })
    }
  }
  const meter = addMeter(account, { displayName: 'Answers over the cap', eventName: OVERAGE })
  const product = addProduct(account, 'Extra answers')
  addPrice(account, {
    product,
    lookupKey: OVERAGE,
    interval: 'month',
    unitAmount: EXTRA_ANSWER_CENTS,
    meter: meter.id,
  })
}

/** A new product; returns its id. */
export function addProduct(account: Account, name: string): string {
  const created = account.clock.now()
  const product: Stripe.Product = {
    id: account.newId('prod'),
    object: 'product',
    active: true,
    created,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: created,
    url: null,
  }
  account.products.set(product.id, product)
  return product.id
}

export interface NewPrice {
  product: string
  lookupKey: string | null
  interval: Interval
  intervalCount?: number
  /** Cents, with fractions. */
  unitAmount: string
  /** The meter whose uses it charges; null: charged in advance. */
  meter: string | null
  metadata?: Record<string, string>
  nickname?: string | null
}

/** A new recurring price in US dollars. */
export function addPrice(account: Account, given: NewPrice): Price {
  const amount = Stripe.Decimal.from(given.unitAmount)
  const whole = amount.toNumber()
  const price: Price = {
    id: account.newId('price'),
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: account.clock.now(),
    currency: 'usd',
    custom_unit_amount: null,
    livemode: false,
    lookup_key: given.lookupKey,
    metadata: given.metadata ?? {},
    nickname: given.nickname ?? null,
    product: given.product,
    recurring: {
      interval: given.interval,
      interval_count: given.intervalCount ?? 1,
      meter: given.meter,
      trial_period_days: null,
      usage_type: given.meter === null ? 'licensed' : 'metered',
    },
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'recurring',
    unit_amount: Number.isInteger(whole) ? whole : null,
    unit_amount_decimal: amount,
  }
  account.prices.set(price.id, price)
  return price
}

/** A new meter that sums its events. */
export function addMeter(
  account: Account,
  given: { displayName: string; eventName: string },
): Stripe.Billing.Meter {
  const created = account.clock.now()
  const meter: Stripe.Billing.Meter = {
    id: account.newId('mtr_test'),
    object: 'billing.meter',
    created,
    customer_mapping: { event_payload_key: 'stripe_customer_id', type: 'by_id' },
    default_aggregation: { formula: 'sum' },
    display_name: given.displayName,
    event_name: given.eventName,
    event_time_window: null,
    livemode: false,
    status: 'active',
    status_transitions: { deactivated_at: null },
    updated: created,
    value_settings: { event_payload_key: 'value' },
  }
  account.meters.set(meter.id, meter)
  return meter
}

export function cycleOf(price: Price): { interval: Interval; count: number } {
  const interval = INTERVALS.find((each) => each === price.recurring.interval)
  if (interval === undefined) throw new Error(`a price has the interval ${price.recurring.interval}`)
  return { interval, count: price.recurring.interval_count }
}

/** The price of `quantity` units in cents, rounded half up. */
export function amountOf(price: Price, quantity: number): number {
  const unit = price.unit_amount_decimal ?? Stripe.Decimal.zero
  const cents = unit.mul(Stripe.Decimal.from(quantity))
  return cents.round('half-up', { mode: 'decimal-places', value: 0 }).toNumber()
}
