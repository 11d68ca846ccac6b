import type Stripe from 'stripe'
import type { Account, Subscription, SubscriptionStatus } from './account.ts'

/** Changes a subscription and emits an event with the previous values. */
export function updating(account: Account, subscription: Subscription, change: () => void): void {
  const before = Object.entries(subscription).map(([name, value]) => [name, JSON.stringify(value)] as const)
  change()
  const after = new Map(Object.entries(subscription).map(([name, value]) => [name, JSON.stringify(value)]))
  const changed = before.filter(([name, value]) => after.get(name) !== value)
  if (changed.length === 0) return
  const previous = Object.fromEntries(changed.map(([name, value]) => [name, JSON.parse(value)]))
  account.emit('customer.subscription.updated', subscription, previous)
}

export function setStatus(account: Account, subscription: Subscription, status: SubscriptionStatus): void {
  updating(account, subscription, () => {
    subscription.status = status
  })
}

/** Ends a subscription now and stops collecting its open invoices. */
export function endSubscription(
  account: Account,
  subscription: Subscription,
  reason: Stripe.Subscription.CancellationDetails.Reason,
): void {
  const now = account.clock.now()
  subscription.status = 'canceled'
  subscription.ended_at = now
  subscription.canceled_at ??= now
  subscription.cancellation_details = { comment: null, feedback: null, feedback_option: null, reason }
  releaseSchedule(account, subscription)
  for (const invoice of account.invoices.values()) {
    const owner = invoice.parent?.subscription_details?.subscription
    if (owner === subscription.id) invoice.next_payment_attempt = null
  }
  account.emit('customer.subscription.deleted', subscription)
}

/** The first payment never came, so the subscription expires. */
export function expireIncomplete(account: Account, subscription: Subscription): void {
  voidOpenInvoices(account, subscription)
  updating(account, subscription, () => {
    subscription.status = 'incomplete_expired'
    subscription.ended_at = account.clock.now()
  })
}

export function voidOpenInvoices(account: Account, subscription: Subscription): void {
  for (const invoice of account.invoices.values()) {
    const owner = invoice.parent?.subscription_details?.subscription
    if (owner !== subscription.id || invoice.status !== 'open') continue
    invoice.status = 'void'
    account.unauthenticated.delete(invoice.id)
    invoice.status_transitions = { ...invoice.status_transitions, voided_at: account.clock.now() }
    account.emit('invoice.voided', invoice)
  }
}

/** Drops what was scheduled for the period's end. */
export function releaseSchedule(account: Account, subscription: Subscription): void {
  const schedule = account.schedules.get(subscription.schedule ?? '')
  if (schedule === undefined) return
  schedule.status = 'released'
  schedule.released_at = account.clock.now()
  schedule.released_subscription = subscription.id
  schedule.subscription = null
  schedule.current_phase = null
  subscription.schedule = null
  account.emit('subscription_schedule.released', schedule)
}
