import { z } from 'zod'
import { found, type Account } from './account.ts'
import type { Api } from './api.ts'
import { expireSession, payCheckout } from './checkout.ts'
import { isTestCard, TEST_CARDS, type TestCard } from './customers.ts'
import { DAY, HOUR } from './clock.ts'
import { nextDueAt } from './due.ts'
import { payInvoice } from './invoices.ts'
import type { Meters } from './meters.ts'
import { changePlan, liveSubscription, replaceCard } from './portal.ts'
import { invalid } from './stripe-error.ts'
import { setCancelAtPeriodEnd } from './subscriptions.ts'
import { NO_TROUBLE, type Webhooks } from './webhooks.ts'

const Advance = z.strictObject({
  days: z.number().min(0).default(0),
  hours: z.number().min(0).default(0),
  seconds: z.number().min(0).default(0),
  /** An ISO time or seconds since the epoch. */
  to: z.union([z.number().int(), z.iso.datetime()]).optional(),
  /** To the next thing that happens by itself. */
  next: z.boolean().default(false),
})
const ADVANCE_MAX_SECONDS = 10 * 366 * DAY

const Trouble = z.strictObject({
  delayMs: z.number().int().min(0).optional(),
  copies: z.number().int().min(1).max(10).optional(),
  lose: z.number().int().min(0).optional(),
  shuffle: z.boolean().optional(),
  hold: z.boolean().optional(),
})
const Order = z.strictObject({ order: z.enum(['sent', 'reversed', 'shuffled']).default('sent') })
const Card = z
  .string()
  .transform((number) => number.replaceAll(' ', ''))
  .refine(isTestCard, { message: `one of ${Object.keys(TEST_CARDS).join(', ')}` })
const DEFAULT_CARD: TestCard = '4242424242424242'
const Payment = z.strictObject({ session: z.string(), card: Card.default(DEFAULT_CARD) })
const Session = z.strictObject({ session: z.string() })
const CardOf = z.strictObject({ customer: z.string(), card: Card.default(DEFAULT_CARD) })
const PlanOf = z.strictObject({ customer: z.string(), plan: z.string() })
const CancelOf = z.strictObject({ customer: z.string(), cancel: z.boolean().default(true) })
const PriceKey = z.strictObject({ lookupKey: z.string() })
const AfterRetries = z.strictObject({ afterRetries: z.enum(['unpaid', 'cancel', 'past_due']) })
const Work = z.strictObject({ ms: z.number().int().min(0).max(60_000) })
const Resend = z.strictObject({ event: z.string() })

/** What a test or a person can do to the account with curl; arguments are JSON fields. */
export function controlRoutes(given: {
  account: Account
  meters: Meters
  webhooks: Webhooks
  api: Api
  advanceTo: (time: number) => void
}): Record<string, (body: Record<string, unknown>) => unknown> {
  const { account, meters, webhooks, api, advanceTo } = given
  const { clock } = account
  const clockView = () => ({
    now: clock.now(),
    iso: isoOf(clock.now()),
    nextDueAt: isoOf(nextDueAt(account)),
  })
  const subscriptionOf = (customer: string) => {
    const subscription = liveSubscription(account, customer)
    if (subscription === undefined) throw invalid(`${customer} has no subscription`)
    return subscription
  }
  return {
    clock: clockView,
    advance: (body) => {
      const wanted = targetOf(account, Advance.parse(body))
      if (wanted > clock.now() + ADVANCE_MAX_SECONDS) throw invalid('at most ten years at once')
      advanceTo(wanted)
      return clockView()
    },
    customers: () =>
      [...account.customers.values()].map(({ id, email, metadata }) => ({ id, email, metadata })),
    subscriptions: () =>
      [...account.subscriptions.values()].map(({ id, customer, status, items, cancel_at, trial_end }) => ({
        id,
        customer,
        status,
        items: items.data.map(({ price, current_period_start, current_period_end }) => ({
          price: price.lookup_key ?? price.id,
          from: isoOf(current_period_start),
          until: isoOf(current_period_end),
        })),
        cancelAt: isoOf(cancel_at),
        trialEnd: isoOf(trial_end),
      })),
    invoices: () =>
      [...account.invoices.values()].map(({ id, customer, status, billing_reason, amount_due, lines }) => ({
        id,
        customer,
        status,
        reason: billing_reason,
        amountDue: amount_due,
        lines: lines.data.map(({ description, amount, quantity }) => ({ description, amount, quantity })),
      })),
    meters: () => meters.totals(),
    sessions: () =>
      [...account.checkoutSessions.values()].map(({ id, status, url, subscription }) => ({
        id,
        status,
        url,
        subscription,
      })),
    pay: (body) => {
      const { session, card } = Payment.parse(body)
      const opened = found(account.checkoutSessions, 'checkout.session', session)
      return {
        result: payCheckout(account, opened, { card, email: null }),
        subscription: opened.subscription,
      }
    },
    abandon: (body) => {
      const { session } = Session.parse(body)
      expireSession(account, found(account.checkoutSessions, 'checkout.session', session))
    },
    'change-plan': (body) => {
      const { customer, plan } = PlanOf.parse(body)
      const price = [...account.prices.values()].find(({ lookup_key }) => lookup_key === plan)
      if (price === undefined) throw invalid(`no price has the lookup key ${plan}`)
      return changePlan(account, subscriptionOf(customer), price)
    },
    'change-card': (body) => {
      const { customer, card } = CardOf.parse(body)
      return replaceCard(account, customer, card)
    },
    cancel: (body) => {
      const { customer, cancel } = CancelOf.parse(body)
      setCancelAtPeriodEnd(account, subscriptionOf(customer), cancel)
    },
    'pay-invoices': (body) => {
      const { customer } = z.strictObject({ customer: z.string() }).parse(body)
      for (const invoice of account.invoices.values()) {
        if (invoice.customer === customer) payInvoice(account, invoice)
      }
      return liveSubscription(account, customer)?.status ?? null
    },
    'remove-price': (body) => {
      const { lookupKey } = PriceKey.parse(body)
      const price = [...account.prices.values()].find(({ lookup_key }) => lookup_key === lookupKey)
      if (price === undefined) throw invalid(`no price has the lookup key ${lookupKey}`)
      price.active = false
      price.lookup_key = null
    },
    'after-retries': (body) => {
      account.settings.afterRetries = AfterRetries.parse(body).afterRetries
    },
    webhooks: (body) => {
      const change = Object.entries(Trouble.parse(body)).filter(([, value]) => value !== undefined)
      webhooks.trouble = { ...webhooks.trouble, ...Object.fromEntries(change) }
      return webhooks.trouble
    },
    'clear-webhooks': () => {
      webhooks.trouble = { ...NO_TROUBLE }
      return { released: webhooks.release('sent') }
    },
    'release-webhooks': (body) => ({ released: webhooks.release(Order.parse(body).order) }),
    resend: (body) => webhooks.send(found(account.events, 'event', Resend.parse(body).event)),
    deliveries: () => webhooks.attempts(),
    work: (body) => {
      api.workMs = Work.parse(body).ms
    },
  }
}

function targetOf(account: Account, wanted: z.output<typeof Advance>): number {
  if (wanted.next) return nextDueAt(account) ?? account.clock.now()
  if (typeof wanted.to === 'number') return wanted.to
  if (wanted.to !== undefined) return Math.floor(Date.parse(wanted.to) / 1000)
  return account.clock.now() + wanted.days * DAY + wanted.hours * HOUR + wanted.seconds
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time * 1000).toISOString()
}
