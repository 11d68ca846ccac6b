import type Stripe from 'stripe'
import type { Account, Price, Subscription, SubscriptionItem } from './account.ts'
import { found } from './account.ts'
import { amountOf, cycleOf } from './catalog.ts'
import { periodAround } from './clock.ts'
import { newLine } from './invoice-shape.ts'
import { makeInvoice } from './invoices.ts'
import { invalid } from './stripe-error.ts'
import { releaseSchedule, updating } from './subscription-status.ts'
import { newItem } from './subscription-shape.ts'
import { isMetered, periodLine, planItem, setPeriod, setPrice } from './subscription-items.ts'

export type ProrationBehavior = 'always_invoice' | 'create_prorations' | 'none'

/** A change of one item: with `id` of an existing one, without of a new one. */
export interface ItemChange {
  id: string | null
  price: string | null
  quantity: number | null
  deleted: boolean
  metadata?: Record<string, string>
}

/**
 * Changes a subscription's items at once. Credits what was paid for the rest of the period and charges the new price
 * for it; another interval begins a new period now. A trial charges nothing.
 */
export function changeItems(
  account: Account,
  subscription: Subscription,
  changes: readonly ItemChange[],
  behavior: ProrationBehavior,
): void {
  checkChanges(account, subscription, changes)
  const lines: Stripe.InvoiceLineItem[] = []
  const inTrial = subscription.status === 'trialing'
  let restarts = false
  updating(account, subscription, () => {
    const now = account.clock.now()
    for (const change of changes) {
      restarts = changesInterval(account, subscription, change) || restarts
      lines.push(...applyChange(account, subscription, change))
    }
    if (restarts && !inTrial) lines.push(...restart(account, subscription, now))
    if (subscription.schedule !== null) releaseSchedule(account, subscription)
  })
  const due = behavior === 'none' ? lines.filter((line) => !isProration(line)) : lines
  if (inTrial || due.length === 0) return
  const now = account.clock.now()
  const period = { start: now, end: now }
  if (behavior === 'always_invoice' || restarts)
    makeInvoice(account, { subscription, lines: due, reason: 'subscription_update', period, draft: false })
  else
    account.pendingLines.set(subscription.id, [
      ...(account.pendingLines.get(subscription.id) ?? []),
      ...lines,
    ])
}

function isProration(line: Stripe.InvoiceLineItem): boolean {
  return line.parent?.subscription_item_details?.proration === true
}

function checkChanges(account: Account, subscription: Subscription, changes: readonly ItemChange[]): void {
  const ids = new Set(subscription.items.data.map(({ id }) => id))
  for (const [index, { id, price, deleted }] of changes.entries()) {
    if (id !== null && !ids.has(id))
      throw invalid(`No such subscription item: '${id}'`, { param: `items[${index}][id]` })
    if (price !== null) found(account.prices, 'price', price, `items[${index}][price]`)
    else if (id === null) throw invalid('A new item needs a price.', { param: `items[${index}][price]` })
    const isPresent = subscription.items.data.some((item) => item.price.id === price)
    if (id === null && isPresent)
      throw invalid(`Cannot add multiple subscription items with the same price: ${price}`, {
        param: 'price',
      })
    if (id !== null && deleted) ids.delete(id)
  }
  const isAdding = changes.some(({ id }) => id === null)
  if (ids.size === 0 && !isAdding) throw invalid('A subscription needs at least one item.')
}

function changesInterval(account: Account, subscription: Subscription, change: ItemChange): boolean {
  const item = subscription.items.data.find(({ id }) => id === change.id)
  if (item === undefined || change.price === null || change.deleted) return false
  const next = cycleOf(found(account.prices, 'price', change.price))
  const present = cycleOf(item.price)
  return !isMetered(item.price) && (next.interval !== present.interval || next.count !== present.count)
}

/** Applies one change; returns its credits and charges for the rest of the period. */
function applyChange(
  account: Account,
  subscription: Subscription,
  change: ItemChange,
): Stripe.InvoiceLineItem[] {
  if (change.id === null) return addItem(account, subscription, change)
  const item = subscription.items.data.find(({ id }) => id === change.id)
  if (item === undefined)
    throw invalid(`No such subscription item: '${change.id}'`, { param: 'items[0][id]' })
  if (change.metadata !== undefined) item.metadata = { ...item.metadata, ...change.metadata }
  const credit = prorationLine(account, subscription, item, -1)
  if (change.deleted) {
    subscription.items.data = subscription.items.data.filter(({ id }) => id !== change.id)
    return credit
  }
  const isSame = change.price === null && (change.quantity === null || change.quantity === item.quantity)
  if (isSame) return []
  const price =
    change.price === null ? item.price : found(account.prices, 'price', change.price, 'items[0][price]')
  const keepsCycle = cycleOf(price).interval === cycleOf(item.price).interval
  setPrice(item, price)
  if (!isMetered(price)) item.quantity = change.quantity ?? item.quantity ?? 1
  return keepsCycle ? [...credit, ...prorationLine(account, subscription, item, 1)] : credit
}

function addItem(account: Account, subscription: Subscription, change: ItemChange): Stripe.InvoiceLineItem[] {
  const price = found(account.prices, 'price', change.price ?? '', 'items[0][price]')
  const item = newItem(account, {
    subscription: subscription.id,
    price,
    quantity: change.quantity ?? 1,
    period: periodOfNewItem(account, subscription, price),
    ...(change.metadata === undefined ? {} : { metadata: change.metadata }),
  })
  subscription.items.data = [...subscription.items.data, item]
  return prorationLine(account, subscription, item, 1)
}

/** A new item joins the subscription's cycle; in a trial its period ends with the trial. */
function periodOfNewItem(
  account: Account,
  subscription: Subscription,
  price: Price,
): { start: number; end: number } {
  const now = account.clock.now()
  const plan = planItem(subscription)
  if (subscription.status === 'trialing' && plan !== undefined)
    return { start: plan.current_period_start, end: plan.current_period_end }
  return periodAround(subscription.billing_cycle_anchor, cycleOf(price), now)
}

/** The credit (-1) or charge (1) of an item for the rest of its period; none for metered items. */
function prorationLine(
  account: Account,
  subscription: Subscription,
  item: SubscriptionItem,
  sign: 1 | -1,
): Stripe.InvoiceLineItem[] {
  if (isMetered(item.price)) return []
  const now = account.clock.now()
  const { current_period_start: start, current_period_end: end, price } = item
  const share = Math.min(1, Math.max(0, (end - now) / (end - start)))
  const quantity = item.quantity ?? 1
  const name = account.products.get(price.product)?.name ?? price.product
  const what = sign === 1 ? 'Remaining time on' : 'Unused time on'
  return [
    newLine(account, {
      subscription,
      item,
      price,
      amount:
        sign * Math.round(amountOf(price, quantity) * share * (sign === 1 ? 1 : paidShare(account, item))),
      quantity,
      description: `${what} ${name}`,
      period: { start: now, end },
      proration: true,
    }),
  ]
}

/** The paid share of an item's price: a credit is net of discounts. */
function paidShare(account: Account, item: SubscriptionItem): number {
  const line = [...account.invoices.values()]
    .flatMap(({ lines }) => lines.data)
    .findLast(
      ({ parent, amount }) => parent?.subscription_item_details?.subscription_item === item.id && amount > 0,
    )
  if (line === undefined) return 1
  const discount = (line.discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
  return 1 - discount / line.amount
}

/** Begins a new cycle now: charges metered items up to here, and the plan for its new period. */
function restart(account: Account, subscription: Subscription, now: number): Stripe.InvoiceLineItem[] {
  const lines: Stripe.InvoiceLineItem[] = []
  subscription.billing_cycle_anchor = now
  for (const item of subscription.items.data) {
    if (isMetered(item.price)) {
      const period = { start: item.current_period_start, end: now }
      lines.push({ ...periodLine(account, subscription, item, false), period })
    }
    setPeriod(item, periodAround(now, cycleOf(item.price), now))
    if (!isMetered(item.price)) lines.push(periodLine(account, subscription, item, false))
  }
  return lines
}

export function scheduleChange(account: Account, subscription: Subscription, price: Price): void {
  const item = planItem(subscription)
  if (item === undefined) throw invalid('The subscription has no plan.')
  if (subscription.schedule !== null) releaseSchedule(account, subscription)
  const start = item.current_period_start
  const end = item.current_period_end
  const next = periodAround(end, cycleOf(price), end)
  const schedule = newSchedule(account, subscription, [
    phaseOf(item.price.id, start, end),
    phaseOf(price.id, end, next.end),
  ])
  account.schedules.set(schedule.id, schedule)
  account.emit('subscription_schedule.created', schedule)
  updating(account, subscription, () => {
    subscription.schedule = schedule.id
  })
}

function newSchedule(
  account: Account,
  subscription: Subscription,
  phases: Stripe.SubscriptionSchedule.Phase[],
): Stripe.SubscriptionSchedule {
  const [first] = phases
  return {
    id: account.newId('sub_sched'),
    object: 'subscription_schedule',
    application: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    canceled_at: null,
    completed_at: null,
    created: account.clock.now(),
    current_phase: first === undefined ? null : { start_date: first.start_date, end_date: first.end_date },
    customer: subscription.customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: 'charge_automatically',
      default_payment_method: null,
      description: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: null,
        description: null,
        footer: null,
        issuer: { type: 'self' },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: 'release',
    livemode: false,
    metadata: {},
    pause_schedules: [],
    phases,
    released_at: null,
    released_subscription: null,
    status: 'active',
    subscription: subscription.id,
    test_clock: null,
  }
}

function phaseOf(price: string, start: number, end: number): Stripe.SubscriptionSchedule.Phase {
  return {
    add_invoice_items: [],
    application_fee_percent: null,
    billing_cycle_anchor: null,
    billing_thresholds: null,
    collection_method: null,
    currency: 'usd',
    default_payment_method: null,
    description: null,
    discounts: [],
    end_date: end,
    invoice_settings: null,
    items: [
      {
        billing_thresholds: null,
        discounts: [],
        metadata: {},
        plan: price,
        price,
        quantity: 1,
        tax_rates: [],
      },
    ],
    metadata: {},
    on_behalf_of: null,
    proration_behavior: 'create_prorations',
    start_date: start,
    transfer_data: null,
    trial_end: null,
  }
}
