import type { Account, GivenDiscount, Subscription } from './account.ts'
import { found } from './account.ts'
import { cycleOf } from './catalog.ts'
import { DAY, periodAround } from './clock.ts'
import { addDiscount } from './discounts.ts'
import { makeInvoice } from './invoices.ts'
import { endSubscription, releaseSchedule, updating, voidOpenInvoices } from './subscription-status.ts'
import { isMetered, periodEnd, periodLine, setPeriod, setPrice } from './subscription-items.ts'
import { newItem, newSubscription } from './subscription-shape.ts'

export interface NewSubscription {
  customer: string
  items: { price: string; quantity: number | null }[]
  /** The end of a free trial; null: none. */
  trialEnd: number | null
  metadata: Record<string, string>
  paymentMethod: string | null
  /** The subscription stays incomplete until a payment succeeds. */
  refusal?: 'declined' | 'requires_action'
  automaticTax?: boolean
  discount?: (GivenDiscount & { session: string | null }) | null
}

/** Starts a subscription with its first invoice, which is zero for a trial. */
export function startSubscription(account: Account, given: NewSubscription): Subscription {
  found(account.customers, 'customer', given.customer, 'customer')
  const now = account.clock.now()
  const trial = given.trialEnd === null ? null : { start: now, end: given.trialEnd }
  const isRefused = given.refusal !== undefined
  const subscription = newSubscription(account, {
    customer: given.customer,
    status: trial !== null && !isRefused ? 'trialing' : 'incomplete',
    anchor: trial?.end ?? now,
    trial: isRefused ? null : trial,
    metadata: given.metadata,
    paymentMethod: given.paymentMethod,
    automaticTax: given.automaticTax ?? false,
  })
  if (given.discount) addDiscount(account, subscription, given.discount)
  account.subscriptions.set(subscription.id, subscription)
  subscription.items.data = given.items.map(({ price: id, quantity }) => {
    const price = found(account.prices, 'price', id, 'items[0][price]')
    const period = trial ?? periodAround(now, cycleOf(price), now)
    return newItem(account, { subscription: subscription.id, price, quantity: quantity ?? 1, period })
  })
  account.emit('customer.subscription.created', subscription)
  if (isRefused && trial !== null) return subscription
  if (given.refusal === 'requires_action') account.challenges.set(subscription.id, 'required')
  invoiceStart(account, subscription)
  account.challenges.delete(subscription.id)
  return subscription
}

/** The first invoice: zero for a trial, else the first period. */
function invoiceStart(account: Account, subscription: Subscription): void {
  const now = account.clock.now()
  const inTrial = subscription.status === 'trialing'
  const items = subscription.items.data.filter(({ price }) => !isMetered(price))
  const lines = items.map((item) => periodLine(account, subscription, item, inTrial))
  const period = { start: now, end: now }
  makeInvoice(account, { subscription, lines, reason: 'subscription_create', period, draft: false })
}

/** Adds a working card, in a checkout, to a subscription whose first payment was refused. */
export function retryStart(
  account: Account,
  subscription: Subscription,
  given: Pick<NewSubscription, 'trialEnd' | 'discount'> & { paymentMethod: string },
): void {
  const now = account.clock.now()
  updating(account, subscription, () => {
    subscription.default_payment_method = given.paymentMethod
    if (given.discount && subscription.discounts.length === 0)
      addDiscount(account, subscription, given.discount)
    subscription.billing_cycle_anchor = given.trialEnd ?? now
    subscription.trial_start = given.trialEnd === null ? null : now
    subscription.trial_end = given.trialEnd
    if (given.trialEnd !== null) subscription.status = 'trialing'
    for (const item of subscription.items.data) {
      const trial = given.trialEnd === null ? null : { start: now, end: given.trialEnd }
      setPeriod(item, trial ?? periodAround(now, cycleOf(item.price), now))
    }
  })
  voidOpenInvoices(account, subscription)
  account.challenges.set(subscription.id, 'authenticated')
  invoiceStart(account, subscription)
  account.challenges.delete(subscription.id)
}

/** Ends the items' periods: cancellation, a scheduled change, and the next period's invoice. */
export function renew(account: Account, subscription: Subscription): void {
  const now = account.clock.now()
  const ending = subscription.items.data.filter((item) => item.current_period_end <= now)
  const wasTrial = subscription.status === 'trialing'
  const uses = wasTrial ? [] : ending.filter(({ price }) => isMetered(price))
  const useLines = uses.map((item) => periodLine(account, subscription, item, false))
  const period = { start: Math.min(...ending.map((item) => item.current_period_start)), end: now }
  if (isCancelDue(subscription, now)) {
    if (useLines.length > 0)
      makeInvoice(account, {
        subscription,
        lines: useLines,
        reason: 'subscription_cycle',
        period,
        draft: true,
      })
    endSubscription(account, subscription, 'cancellation_requested')
    return
  }
  updating(account, subscription, () => {
    if (wasTrial) subscription.status = 'active'
    applySchedule(account, subscription)
    for (const item of ending) {
      setPeriod(item, periodAround(subscription.billing_cycle_anchor, cycleOf(item.price), now))
    }
  })
  const ahead = subscription.items.data.filter((item) => ending.includes(item) && !isMetered(item.price))
  const lines = [...useLines, ...ahead.map((item) => periodLine(account, subscription, item, false))]
  makeInvoice(account, { subscription, lines, reason: 'subscription_cycle', period, draft: true })
}

function isCancelDue(subscription: Subscription, now: number): boolean {
  return subscription.cancel_at !== null && subscription.cancel_at <= now
}

/** Applies the prices of a scheduled phase that has begun. */
function applySchedule(account: Account, subscription: Subscription): void {
  const schedule = account.schedules.get(subscription.schedule ?? '')
  const phase = schedule?.phases.find(
    ({ start_date }, index) => index > 0 && start_date <= account.clock.now(),
  )
  if (phase === undefined) return
  for (const planned of phase.items) {
    const priceId = typeof planned.price === 'string' ? planned.price : planned.price.id
    const price = found(account.prices, 'price', priceId)
    const item = subscription.items.data.find((each) => isMetered(each.price) === isMetered(price))
    if (item === undefined) continue
    if (cycleOf(price).interval !== cycleOf(item.price).interval)
      subscription.billing_cycle_anchor = account.clock.now()
    setPrice(item, price)
  }
  releaseSchedule(account, subscription)
}

/** Schedules the end at the period's end, or withdraws it. */
export function setCancelAtPeriodEnd(account: Account, subscription: Subscription, isPlanned: boolean): void {
  const now = account.clock.now()
  updating(account, subscription, () => {
    subscription.cancel_at_period_end = isPlanned
    subscription.cancel_at = isPlanned ? periodEnd(subscription) : null
    subscription.canceled_at = isPlanned ? now : null
    const reason = isPlanned ? 'cancellation_requested' : null
    subscription.cancellation_details = { comment: null, feedback: null, feedback_option: null, reason }
    if (isPlanned) releaseSchedule(account, subscription)
  })
}

export function trialEndAfter(account: Account, days: number | null): number | null {
  return days === null || days === 0 ? null : account.clock.now() + days * DAY
}

/** Ends a trial now, as if its time had come. */
export function endTrial(account: Account, subscription: Subscription): void {
  if (subscription.status !== 'trialing') return
  const now = account.clock.now()
  subscription.trial_end = now
  subscription.billing_cycle_anchor = now
  for (const item of subscription.items.data) item.current_period_end = now
  renew(account, subscription)
}
