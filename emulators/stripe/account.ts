import type Stripe from 'stripe'
import { createTurnedClock, type TurnedClock } from './clock.ts'
import { missing } from './stripe-error.ts'

/** `T` with narrower fields. */
type Narrow<T, N> = Omit<T, keyof N> & N

export type SubscriptionStatus =
  | 'active'
  | 'canceled'
  | 'incomplete'
  | 'incomplete_expired'
  | 'past_due'
  | 'paused'
  | 'trialing'
  | 'unpaid'

// Stored objects have Stripe's shapes, with ids where Stripe returns ids by default.
export type Price = Narrow<Stripe.Price, { product: string; recurring: Stripe.Price.Recurring }>
export type SubscriptionItem = Narrow<Stripe.SubscriptionItem, { price: Price }>
export type Subscription = Narrow<
  Stripe.Subscription,
  {
    customer: string
    default_payment_method: string | null
    discounts: string[]
    items: Stripe.ApiList<SubscriptionItem>
    latest_invoice: string | null
    schedule: string | null
    status: SubscriptionStatus
  }
>
export type Invoice = Narrow<
  Stripe.Invoice,
  { customer: string; discounts: string[]; status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void' }
>
export type CheckoutSession = Narrow<
  Stripe.Checkout.Session,
  { customer: string | null; status: 'open' | 'complete' | 'expired'; subscription: string | null }
>
export type PaymentMethod = Narrow<
  Stripe.PaymentMethod,
  { card: Stripe.PaymentMethod.Card; customer: string | null }
>

export type PromotionCode = Narrow<
  Stripe.PromotionCode,
  { promotion: { coupon: string; type: 'coupon' }; customer: string | null }
>
export type Discount = Narrow<Stripe.Discount, { source: { coupon: string; type: 'coupon' } }>

/** The subscription that a checkout session requests. */
export interface CheckoutPlan {
  trialDays: number | null
  metadata: Record<string, string>
  automaticTax: boolean
  discount: GivenDiscount | null
}

/** The discount of a promotion code. */
export interface GivenDiscount {
  coupon: string
  promotionCode: string
}

export type EventType =
  | 'checkout.session.completed'
  | 'checkout.session.expired'
  | 'customer.created'
  | 'customer.subscription.created'
  | 'customer.subscription.deleted'
  | 'customer.subscription.trial_will_end'
  | 'customer.subscription.updated'
  | 'customer.updated'
  | 'invoice.created'
  | 'invoice.finalized'
  | 'invoice.paid'
  | 'invoice.payment_action_required'
  | 'invoice.payment_failed'
  | 'invoice.payment_succeeded'
  | 'invoice.updated'
  | 'invoice.voided'
  | 'payment_method.attached'
  | 'subscription_schedule.created'
  | 'subscription_schedule.released'

export type EventObject<T extends EventType> = Extract<Stripe.Event, { type: T }>['data']['object']

export interface StoredEvent {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: object; previous_attributes?: object }
  livemode: false
  pending_webhooks: number
  request: { id: string | null; idempotency_key: string | null }
  type: EventType
}

export interface MeterUse {
  identifier: string
  eventName: string
  customer: string
  value: number
  /** When it happened, on the account's clock. */
  timestamp: number
}

/** What happens when the last payment attempt has failed. */
export type AfterRetries = 'unpaid' | 'cancel' | 'past_due'

export interface Account {
  /** Base URL of the hosted pages, without a trailing slash. */
  url: string
  readonly clock: TurnedClock
  readonly settings: {
    /** Days from a failed payment to each next attempt. */
    retryDays: readonly number[]
    afterRetries: AfterRetries
    /** The rate of automatic tax; null: Stripe Tax is not set up, so automatic tax is refused. */
    taxPercent: number | null
  }
  readonly products: Map<string, Stripe.Product>
  readonly prices: Map<string, Price>
  readonly meters: Map<string, Stripe.Billing.Meter>
  readonly customers: Map<string, Stripe.Customer>
  readonly paymentMethods: Map<string, PaymentMethod>
  readonly subscriptions: Map<string, Subscription>
  readonly schedules: Map<string, Stripe.SubscriptionSchedule>
  readonly invoices: Map<string, Invoice>
  /** Lines waiting for a subscription's next invoice. */
  readonly pendingLines: Map<string, Stripe.InvoiceLineItem[]>
  readonly checkoutSessions: Map<string, CheckoutSession>
  readonly checkoutLines: Map<string, { price: string; quantity: number | null }[]>
  /** The subscription that each checkout session requests. */
  readonly checkoutPlans: Map<string, CheckoutPlan>
  readonly coupons: Map<string, Stripe.Coupon>
  readonly promotionCodes: Map<string, PromotionCode>
  readonly discounts: Map<string, Discount>
  /** Cards whose owner must authenticate a payment, by checkout session. */
  readonly challengedCards: Map<string, string>
  /** The authentication that a subscription's next charge requires or has. */
  readonly challenges: Map<string, 'required' | 'authenticated'>
  /** Invoices whose payment the card's owner must authenticate. */
  readonly unauthenticated: Set<string>
  readonly portalSessions: Map<string, Stripe.BillingPortal.Session>
  readonly meterUses: MeterUse[]
  readonly events: Map<string, StoredEvent>
  /** Subscriptions whose trial end has been announced. */
  readonly announcedTrials: Set<string>
  /** The current call, recorded in its events. */
  request: { id: string | null; idempotencyKey: string | null }
  /** Ids count up by prefix, so that a run is reproducible. */
  newId(prefix: string): string
  /** Stores an event with the object's current state and notifies listeners. */
  emit<T extends EventType>(type: T, object: EventObject<T>, previous?: object): void
  onEvent(listener: (event: StoredEvent) => void): void
}

export interface AccountOptions {
  /** Epoch milliseconds. */
  now: () => number
  apiVersion: string
  retryDays: readonly number[]
  afterRetries: AfterRetries
  taxPercent: number | null
}

export function createAccount(options: AccountOptions): Account {
  const counters = new Map<string, number>()
  const listeners: ((event: StoredEvent) => void)[] = []
  const clock = createTurnedClock(options.now)
  const newId = (prefix: string): string => {
    const count = (counters.get(prefix) ?? 0) + 1
    counters.set(prefix, count)
    return `${prefix}_${String(count).padStart(14, '0')}`
  }
  const account: Account = {
    url: '',
    clock,
    settings: {
      retryDays: options.retryDays,
      afterRetries: options.afterRetries,
      taxPercent: options.taxPercent,
    },
    products: new Map(),
    prices: new Map(),
    meters: new Map(),
    customers: new Map(),
    paymentMethods: new Map(),
    subscriptions: new Map(),
    schedules: new Map(),
    invoices: new Map(),
    pendingLines: new Map(),
    checkoutSessions: new Map(),
    checkoutLines: new Map(),
    checkoutPlans: new Map(),
    coupons: new Map(),
    promotionCodes: new Map(),
    discounts: new Map(),
    challengedCards: new Map(),
    challenges: new Map(),
    unauthenticated: new Set(),
    portalSessions: new Map(),
    meterUses: [],
    events: new Map(),
    announcedTrials: new Set(),
    request: { id: null, idempotencyKey: null },
    newId,
    emit: (type, object, previous) => {
      const event: StoredEvent = {
        id: newId('evt'),
        object: 'event',
        api_version: options.apiVersion,
        created: clock.now(),
        // A JSON copy, so that later changes cannot alter the event.
        data: JSON.parse(
          JSON.stringify({ object, ...(previous === undefined ? {} : { previous_attributes: previous }) }),
        ),
        livemode: false,
        pending_webhooks: 1,
        request: { id: account.request.id, idempotency_key: account.request.idempotencyKey },
        type,
      }
      account.events.set(event.id, event)
      for (const listener of listeners) listener(event)
    },
    onEvent: (listener) => void listeners.push(listener),
  }
  return account
}

/** An object by its id. @throws StripeError 404 */
export function found<T>(objects: ReadonlyMap<string, T>, kind: string, id: string, param = 'id'): T {
  const object = objects.get(id)
  if (object === undefined) throw missing(kind, id, param)
  return object
}

export function listOf<T>(data: T[], url: string): Stripe.ApiList<T> {
  return { object: 'list', data, has_more: false, url }
}
