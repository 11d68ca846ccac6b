import { z } from 'zod'
import { found, type Invoice, type Subscription } from './account.ts'
import { pageOf } from './answers.ts'
import { pathId, type ApiCall, type ApiRoute } from './api.ts'
import { expand, flag, ignored, mergedMetadata, metadata, page, readInput, text, whole } from './inputs.ts'
import { payInvoice, previewInvoice, subscriptionIdOf } from './invoices.ts'
import { changeItems } from './plan-changes.ts'
import { invalid, StripeError } from './stripe-error.ts'
import { endTrial, setCancelAtPeriodEnd, startSubscription, trialEndAfter } from './subscriptions.ts'
import { endSubscription, releaseSchedule, updating } from './subscription-status.ts'

const STATUSES = [
  'active',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
] as const
const PRORATION = z.enum(['always_invoice', 'create_prorations', 'none'])

const Item = z.strictObject({
  id: text.optional(),
  price: text.optional(),
  quantity: whole.min(1).optional(),
  deleted: flag.default(false),
  clear_usage: ignored,
  metadata: metadata.optional(),
})
const Create = z.strictObject({
  customer: text,
  items: z.array(Item).min(1).max(20),
  trial_period_days: whole.min(0).max(730).optional(),
  trial_end: whole.optional(),
  metadata: metadata.default({}),
  default_payment_method: text.optional(),
  payment_behavior: ignored,
  payment_settings: ignored,
  billing_mode: ignored,
  trial_settings: ignored,
  off_session: ignored,
  expand,
})
const Update = z.strictObject({
  items: z.array(Item).max(20).optional(),
  metadata: metadata.optional(),
  cancel_at_period_end: flag.optional(),
  default_payment_method: text.optional(),
  proration_behavior: PRORATION.default('create_prorations'),
  trial_end: z.literal('now').optional(),
  cancellation_details: ignored,
  payment_behavior: ignored,
  payment_settings: ignored,
  trial_settings: ignored,
  off_session: ignored,
  expand,
})
const List = z.strictObject({
  ...page,
  customer: text.optional(),
  price: text.optional(),
  status: z.enum([...STATUSES, 'all', 'ended']).optional(),
  created: ignored,
})
const Cancel = z.strictObject({
  prorate: ignored,
  cancellation_details: ignored,
  expand,
})
const NewItem = z.strictObject({
  subscription: text,
  price: text,
  quantity: whole.min(1).optional(),
  proration_behavior: PRORATION.default('create_prorations'),
  metadata: metadata.optional(),
  payment_behavior: ignored,
  expand,
})

export const subscriptionRoutes: Record<string, ApiRoute> = {
  'POST /v1/subscriptions': ({ account, input }) => {
    const given = readInput(Create, input)
    const customer = found(account.customers, 'customer', given.customer, 'customer')
    const card = given.default_payment_method ?? null
    const hasCard = card !== null || customer.invoice_settings.default_payment_method !== null
    const trialEnd = given.trial_end ?? trialEndAfter(account, given.trial_period_days ?? null)
    if (!hasCard && trialEnd === null)
      throw invalid('This customer has no attached payment source or default payment method.', {
        code: 'resource_missing',
      })
    const items = given.items.map(({ price, quantity }) => {
      if (price === undefined) throw invalid('Missing required param: items[0][price].', { param: 'items' })
      return { price, quantity: quantity ?? null }
    })
    const metadataGiven = mergedMetadata({}, given.metadata)
    return startSubscription(account, {
      customer: customer.id,
      items,
      trialEnd,
      metadata: metadataGiven,
      paymentMethod: card,
    })
  },
  'GET /v1/subscriptions': ({ account, input }) => {
    const given = readInput(List, input)
    const meant = [...account.subscriptions.values()].filter(
      (subscription) =>
        hasStatus(subscription, given.status) &&
        (given.customer === undefined || given.customer === subscription.customer) &&
        (given.price === undefined || subscription.items.data.some(({ price }) => price.id === given.price)),
    )
    return pageOf(meant, given, '/v1/subscriptions')
  },
  'GET /v1/subscriptions/:id': (call) => subscriptionOf(call),
  'POST /v1/subscriptions/:id': (call) => {
    const { account } = call
    const subscription = subscriptionOf(call)
    const given = readInput(Update, call.input)
    refuseEnded(subscription)
    const card = given.default_payment_method
    if (card !== undefined) found(account.paymentMethods, 'PaymentMethod', card)
    updating(account, subscription, () => {
      if (given.metadata !== undefined)
        subscription.metadata = mergedMetadata(subscription.metadata, given.metadata)
      if (card !== undefined) subscription.default_payment_method = card
    })
    if (given.items !== undefined) {
      const changes = given.items.map((item) => ({
        id: item.id ?? null,
        price: item.price ?? null,
        quantity: item.quantity ?? null,
        deleted: item.deleted,
        ...(item.metadata === undefined ? {} : { metadata: item.metadata }),
      }))
      changeItems(account, subscription, changes, given.proration_behavior)
    }
    if (given.trial_end === 'now') endTrial(account, subscription)
    if (given.cancel_at_period_end !== undefined)
      setCancelAtPeriodEnd(account, subscription, given.cancel_at_period_end)
    return subscription
  },
  'DELETE /v1/subscriptions/:id': (call) => {
    const subscription = subscriptionOf(call)
    readInput(Cancel, call.input)
    refuseEnded(subscription)
    endSubscription(call.account, subscription, 'cancellation_requested')
    return subscription
  },
  'POST /v1/subscription_items': ({ account, input }) => {
    const given = readInput(NewItem, input)
    const subscription = found(account.subscriptions, 'subscription', given.subscription, 'subscription')
    refuseEnded(subscription)
    const change = {
      id: null,
      price: given.price,
      quantity: given.quantity ?? null,
      deleted: false,
      ...(given.metadata === undefined ? {} : { metadata: given.metadata }),
    }
    changeItems(account, subscription, [change], given.proration_behavior)
    return subscription.items.data.at(-1)
  },
  'POST /v1/subscription_schedules/:id/release': (call) => {
    const { account } = call
    const schedule = found(account.schedules, 'subscription_schedule', pathId(call))
    const subscription = [...account.subscriptions.values()].find((each) => each.schedule === schedule.id)
    if (subscription === undefined) throw invalid('The schedule has been released before.')
    updating(account, subscription, () => releaseSchedule(account, subscription))
    return schedule
  },
}

export const invoiceRoutes: Record<string, ApiRoute> = {
  'GET /v1/invoices': ({ account, input }) => {
    const given = readInput(
      z.strictObject({
        ...page,
        customer: text.optional(),
        subscription: text.optional(),
        status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']).optional(),
        created: ignored,
      }),
      input,
    )
    const meant = [...account.invoices.values()].filter(
      (invoice) =>
        (given.customer === undefined || given.customer === invoice.customer) &&
        (given.subscription === undefined || given.subscription === subscriptionIdOf(invoice)) &&
        (given.status === undefined || given.status === invoice.status),
    )
    return pageOf(meant, given, '/v1/invoices')
  },
  'POST /v1/invoices/create_preview': ({ account, input }) => {
    const given = readInput(
      z.strictObject({ customer: text.optional(), subscription: text.optional(), expand }),
      input,
    )
    const subscription = [...account.subscriptions.values()].findLast(
      ({ id, customer, ended_at }) =>
        ended_at === null &&
        (given.subscription === undefined || given.subscription === id) &&
        (given.customer === undefined || given.customer === customer),
    )
    if (subscription === undefined)
      throw new StripeError(404, {
        type: 'invalid_request_error',
        code: 'invoice_upcoming_none',
        message: 'No upcoming invoices for customer',
      })
    return previewInvoice(account, subscription)
  },
  'GET /v1/invoices/:id': (call) => invoiceOf(call),
  'POST /v1/invoices/:id/pay': (call) => {
    const invoice = invoiceOf(call)
    if (invoice.status === 'paid') throw invalid('Invoice is already paid')
    payInvoice(call.account, invoice)
    if (invoice.amount_remaining === 0) return invoice
    if (call.account.unauthenticated.has(invoice.id))
      throw new StripeError(402, {
        type: 'card_error',
        code: 'invoice_payment_intent_requires_action',
        message:
          'This payment requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with subscription.',
      })
    throw new StripeError(402, {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
    })
  },
}

function subscriptionOf(call: ApiCall): Subscription {
  return found(call.account.subscriptions, 'subscription', pathId(call))
}

function invoiceOf(call: ApiCall): Invoice {
  return found(call.account.invoices, 'invoice', pathId(call), 'invoice')
}

function refuseEnded({ id, ended_at }: Subscription): void {
  if (ended_at !== null)
    throw new StripeError(404, {
      type: 'invalid_request_error',
      code: 'resource_missing',
      param: 'id',
      message: `No such subscription: '${id}'`,
    })
}

/** Without a status, every subscription that is not canceled matches. */
function hasStatus({ status }: Subscription, wanted: z.output<typeof List>['status']): boolean {
  if (wanted === undefined) return status !== 'canceled' && status !== 'incomplete_expired'
  if (wanted === 'all') return true
  if (wanted === 'ended') return status === 'canceled' || status === 'incomplete_expired'
  return status === wanted
}
