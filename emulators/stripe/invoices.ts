import type Stripe from 'stripe'
import type { Account, Invoice, Subscription } from './account.ts'
import { found } from './account.ts'
import { amountOf, cycleOf } from './catalog.ts'
import { DAY, HOUR, periodAround } from './clock.ts'
import { chargeOf } from './customers.ts'
import { spendDiscounts } from './discounts.ts'
import { setAmounts } from './invoice-amounts.ts'
import { newInvoice, type BillingReason } from './invoice-shape.ts'
import { usedUnits } from './meters.ts'
import { invalid } from './stripe-error.ts'
import { isMetered, periodLine, plannedPrice } from './subscription-items.ts'
import { endSubscription, setStatus } from './subscription-status.ts'

/** How long a renewal's invoice stays a draft, during which late uses of its period count. */
const DRAFT_SECONDS = HOUR

/** Creates an invoice with these and pending lines. `draft`: it is finalized an hour later, else at once. */
export function makeInvoice(
  account: Account,
  given: {
    subscription: Subscription
    lines: Stripe.InvoiceLineItem[]
    reason: BillingReason
    period: { start: number; end: number }
    draft: boolean
  },
): Invoice {
  const { subscription, reason, period } = given
  const lines = [...(account.pendingLines.get(subscription.id) ?? []), ...given.lines]
  account.pendingLines.delete(subscription.id)
  const invoice = newInvoice(account, { id: account.newId('in'), subscription, lines, reason, period })
  account.invoices.set(invoice.id, invoice)
  subscription.latest_invoice = invoice.id
  // Invoices of an unpaid subscription stay drafts until they are paid manually.
  const advances = subscription.status !== 'unpaid'
  invoice.auto_advance = advances
  if (given.draft && advances) invoice.automatically_finalizes_at = account.clock.now() + DRAFT_SECONDS
  account.emit('invoice.created', invoice)
  if (!given.draft) finalise(account, invoice)
  return invoice
}

/** Counts the uses of its period, fixes the amounts and requests the payment. */
export function finalise(account: Account, invoice: Invoice): void {
  const now = account.clock.now()
  countUses(account, invoice)
  setAmounts(account, invoice)
  spendDiscounts(account, invoice)
  const customer = found(account.customers, 'customer', invoice.customer)
  customer.balance = invoice.ending_balance ?? 0
  const sequence = customer.next_invoice_sequence ?? 1
  customer.next_invoice_sequence = sequence + 1
  invoice.number = `${customer.invoice_prefix ?? ''}-${String(sequence).padStart(4, '0')}`
  invoice.status = 'open'
  invoice.effective_at = now
  invoice.automatically_finalizes_at = null
  invoice.hosted_invoice_url = `${account.url}/invoice/${invoice.id}`
  invoice.status_transitions = { ...invoice.status_transitions, finalized_at: now }
  account.emit('invoice.finalized', invoice)
  if (invoice.amount_due === 0) markPaid(account, invoice)
  else attemptPayment(account, invoice)
}

/** The next invoice as of now: the planned plan, and the uses counted so far. */
export function previewInvoice(account: Account, subscription: Subscription): Invoice {
  const at = Math.min(...subscription.items.data.map((item) => item.current_period_end))
  const ending = subscription.items.data.filter((item) => item.current_period_end === at)
  const inTrial = subscription.status === 'trialing'
  const isLast = subscription.cancel_at !== null && subscription.cancel_at <= at
  const due = ending.filter(({ price }) => (isMetered(price) ? !inTrial : !isLast))
  const planned = plannedPrice(account, subscription)
  const lines = due.map((item) => {
    if (isMetered(item.price)) return periodLine(account, subscription, item, false)
    const price = planned ?? item.price
    const restarts = cycleOf(price).interval !== cycleOf(item.price).interval
    const anchor = restarts ? at : subscription.billing_cycle_anchor
    const line = periodLine(account, subscription, { ...item, price }, false)
    line.period = periodAround(anchor, cycleOf(price), at)
    return line
  })
  const period = { start: Math.min(...ending.map((item) => item.current_period_start)), end: at }
  const id = `upcoming_${subscription.id}`
  const waiting = account.pendingLines.get(subscription.id) ?? []
  const preview = newInvoice(account, {
    id,
    subscription,
    lines: [...waiting, ...lines],
    reason: 'upcoming',
    period,
  })
  countUses(account, preview)
  setAmounts(account, preview)
  preview.next_payment_attempt = at + DRAFT_SECONDS
  return preview
}

/** Sets the lines of metered prices to the uses of their period so far. */
export function countUses(account: Account, invoice: Invoice): void {
  for (const line of invoice.lines.data) {
    const price = account.prices.get(priceIdOf(line))
    const meter = account.meters.get(price?.recurring.meter ?? '')
    if (price === undefined || meter === undefined) continue
    const { start, end } = line.period
    const wanted = { eventName: meter.event_name, customer: invoice.customer, from: start, until: end }
    line.quantity = usedUnits(account, wanted)
    line.amount = amountOf(price, line.quantity)
    line.subtotal = line.amount
  }
}

function priceIdOf(line: Stripe.InvoiceLineItem): string {
  const price = line.pricing?.price_details?.price
  return typeof price === 'string' ? price : (price?.id ?? '')
}

/** Charges the card and updates the subscription accordingly. */
export function attemptPayment(account: Account, invoice: Invoice): void {
  const subscription = subscriptionOf(account, invoice)
  const customer = found(account.customers, 'customer', invoice.customer)
  const fallback = customer.invoice_settings.default_payment_method
  const cardId = subscription?.default_payment_method ?? (typeof fallback === 'string' ? fallback : '')
  invoice.attempted = true
  invoice.attempt_count += 1
  const charge = challengeOf(account, subscription) ?? chargeOf(account.paymentMethods.get(cardId))
  if (charge === 'paid') {
    markPaid(account, invoice)
    return
  }
  if (charge === 'requires_action') {
    account.unauthenticated.add(invoice.id)
    account.emit('invoice.payment_action_required', invoice)
  }
  paymentFailed(account, invoice, subscription)
}

/** What a checkout settled about charging a subscription's first invoice. */
function challengeOf(
  account: Account,
  subscription: Subscription | undefined,
): 'paid' | 'requires_action' | undefined {
  const challenge = account.challenges.get(subscription?.id ?? '')
  if (challenge === undefined) return undefined
  return challenge === 'authenticated' ? 'paid' : 'requires_action'
}

/** The card's owner authenticates an invoice's payment, or fails to. @throws StripeError 400 */
export function authenticateInvoice(account: Account, invoice: Invoice, succeeds: boolean): void {
  if (!account.unauthenticated.has(invoice.id)) throw invalid('This payment needs no authentication.')
  if (succeeds) markPaid(account, invoice)
  else account.emit('invoice.payment_failed', invoice)
}

/** Pays an open invoice, or a draft of an unpaid subscription. */
export function payInvoice(account: Account, invoice: Invoice): void {
  if (invoice.status === 'draft') finalise(account, invoice)
  else if (invoice.status === 'open') attemptPayment(account, invoice)
}

function markPaid(account: Account, invoice: Invoice): void {
  account.unauthenticated.delete(invoice.id)
  invoice.status = 'paid'
  invoice.amount_paid = invoice.amount_due
  invoice.amount_remaining = 0
  invoice.next_payment_attempt = null
  invoice.status_transitions = { ...invoice.status_transitions, paid_at: account.clock.now() }
  account.emit('invoice.paid', invoice)
  account.emit('invoice.payment_succeeded', invoice)
  const subscription = subscriptionOf(account, invoice)
  if (subscription === undefined || hasOpenInvoices(account, subscription.id)) return
  found(account.customers, 'customer', invoice.customer).delinquent = false
  const { status } = subscription
  if (status === 'past_due' || status === 'unpaid' || status === 'incomplete')
    setStatus(account, subscription, 'active')
}

function hasOpenInvoices(account: Account, subscriptionId: string): boolean {
  return invoicesOf(account, subscriptionId).some(({ status }) => status === 'open')
}

function paymentFailed(account: Account, invoice: Invoice, subscription: Subscription | undefined): void {
  const isFirst = invoice.billing_reason === 'subscription_create'
  const waitDays = isFirst ? undefined : account.settings.retryDays[invoice.attempt_count - 1]
  invoice.next_payment_attempt = waitDays === undefined ? null : account.clock.now() + waitDays * DAY
  found(account.customers, 'customer', invoice.customer).delinquent = true
  account.emit('invoice.payment_failed', invoice)
  if (subscription === undefined || isFirst) return
  const { status } = subscription
  if (status === 'active' || status === 'trialing') setStatus(account, subscription, 'past_due')
  if (waitDays !== undefined || subscription.status !== 'past_due') return
  switch (account.settings.afterRetries) {
    case 'unpaid':
      return setStatus(account, subscription, 'unpaid')
    case 'cancel':
      return endSubscription(account, subscription, 'payment_failed')
    case 'past_due':
  }
}

/** A subscription's invoices, newest first. */
export function invoicesOf(account: Account, subscriptionId: string): Invoice[] {
  return [...account.invoices.values()]
    .filter((invoice) => subscriptionIdOf(invoice) === subscriptionId)
    .toReversed()
}

export function subscriptionIdOf(invoice: Invoice): string | null {
  const subscription = invoice.parent?.subscription_details?.subscription
  return typeof subscription === 'string' ? subscription : (subscription?.id ?? null)
}

function subscriptionOf(account: Account, invoice: Invoice): Subscription | undefined {
  return account.subscriptions.get(subscriptionIdOf(invoice) ?? '')
}
