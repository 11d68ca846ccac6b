import type Stripe from 'stripe'
import type { Account, Price, Subscription } from './account.ts'
import { found } from './account.ts'
import { cycleOf } from './catalog.ts'
import { attachCard, TEST_CARDS, type TestCard } from './customers.ts'
import { changeItems, scheduleChange } from './plan-changes.ts'
import { invalid } from './stripe-error.ts'
import { isMetered, planItem } from './subscription-items.ts'
import { updating } from './subscription-status.ts'

/** Opens a page for managing a subscription. */
export function openPortal(
  account: Account,
  given: { customer: string; returnUrl: string | null },
): Stripe.BillingPortal.Session {
  const customer = found(account.customers, 'customer', given.customer, 'customer')
  const id = account.newId('bps')
  const session: Stripe.BillingPortal.Session = {
    id,
    object: 'billing_portal.session',
    configuration: 'bpc_emulator',
    created: account.clock.now(),
    customer: customer.id,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: given.returnUrl,
    url: `${account.url}/portal/${id}`,
  }
  account.portalSessions.set(id, session)
  return session
}

export function liveSubscription(account: Account, customer: string): Subscription | undefined {
  return [...account.subscriptions.values()].findLast(
    ({ customer: owner, status }) =>
      owner === customer &&
      status !== 'canceled' &&
      status !== 'incomplete' &&
      status !== 'incomplete_expired',
  )
}

/** The plans to change to: current prices with a lookup key, charged in advance. */
export function plansOnSale(account: Account): Price[] {
  return [...account.prices.values()].filter(
    (price) => price.active && price.lookup_key !== null && !isMetered(price),
  )
}

/**
 * Changes the plan: an upgrade, or a change to yearly payment, applies at once; a downgrade, or a change to monthly
 * payment, at the period's end. A trial changes at once, since nothing is paid yet.
 */
export function changePlan(account: Account, subscription: Subscription, price: Price): 'now' | 'later' {
  const item = planItem(subscription)
  if (item === undefined) throw invalid('The subscription has no plan.')
  if (item.price.id === price.id) throw invalid('This is the current plan.')
  if (subscription.status !== 'trialing' && yearly(price) < yearly(item.price)) {
    scheduleChange(account, subscription, price)
    return 'later'
  }
  if (subscription.status !== 'trialing' && isShorter(price, item.price)) {
    scheduleChange(account, subscription, price)
    return 'later'
  }
  const change = { id: item.id, price: price.id, quantity: null, deleted: false }
  changeItems(account, subscription, [change], 'always_invoice')
  return 'now'
}

/** Ranks plans by price: the cost of a month without the yearly discount. */
function yearly(price: Price): number {
  const months = cycleOf(price).interval === 'year' ? YEAR_IN_PAID_MONTHS : 1
  return (price.unit_amount ?? 0) / months
}

/** A yearly price is less than ten monthly ones; rounded down, the same plan never counts as an upgrade. */
const YEAR_IN_PAID_MONTHS = 9.5

function isShorter(next: Price, present: Price): boolean {
  return cycleOf(next).interval === 'month' && cycleOf(present).interval === 'year'
}

/** Replaces the card for future charges; a declined one is not stored. */
export function replaceCard(account: Account, customer: string, card: TestCard): 'kept' | 'declined' {
  if (TEST_CARDS[card].behavior === 'declined') return 'declined'
  const method = attachCard(account, customer, card)
  for (const subscription of account.subscriptions.values()) {
    const isLive = subscription.customer === customer && subscription.ended_at === null
    if (!isLive || subscription.default_payment_method === null) continue
    updating(account, subscription, () => {
      subscription.default_payment_method = method.id
    })
  }
  return 'kept'
}
