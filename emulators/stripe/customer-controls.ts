import { z } from 'zod'
import { found, type Account, type Subscription } from './account.ts'
import { authenticateCheckout, expireSession, payCheckout } from './checkout.ts'
import type { Controls } from './emulator-parts.ts'
import { isTestCard, TEST_CARDS, type TestCard } from './customers.ts'
import { authenticateInvoice, payInvoice } from './invoices.ts'
import { changePlan, liveSubscription, replaceCard } from './portal.ts'
import { invalid } from './stripe-error.ts'
import { setCancelAtPeriodEnd } from './subscriptions.ts'

const DEFAULT_CARD: TestCard = '4242424242424242'
const Card = z
  .string()
  .transform((number) => number.replaceAll(' ', ''))
  .refine(isTestCard, { message: `one of ${Object.keys(TEST_CARDS).join(', ')}` })
  .default(DEFAULT_CARD)
const Session = z.strictObject({ session: z.string() })
const Payment = z.strictObject({ session: z.string(), card: Card, code: z.string().nullable().default(null) })
const Authentication = z.union([
  z.strictObject({ session: z.string(), succeeds: z.boolean().default(true) }),
  z.strictObject({ customer: z.string(), succeeds: z.boolean().default(true) }),
])
const Customer = z.strictObject({ customer: z.string() })
const CardOf = z.strictObject({ customer: z.string(), card: Card })
const PlanOf = z.strictObject({ customer: z.string(), plan: z.string() })
const CancelOf = z.strictObject({ customer: z.string(), cancel: z.boolean().default(true) })

/** Customers' actions on the hosted pages, without the pages. */
export function customerControls(account: Account): Controls {
  const sessionOf = (id: string) => found(account.checkoutSessions, 'checkout.session', id)
  const subscriptionOf = (customer: string): Subscription => {
    const subscription = liveSubscription(account, customer)
    if (subscription === undefined) throw invalid(`${customer} has no subscription`)
    return subscription
  }
  return {
    pay: (body) => {
      const { session, ...given } = Payment.parse(body)
      const opened = sessionOf(session)
      const result = payCheckout(account, opened, { ...given, email: null })
      return { result, subscription: opened.subscription }
    },
    authenticate: (body) => {
      const given = Authentication.parse(body)
      if ('session' in given) return authenticateCheckout(account, sessionOf(given.session), given.succeeds)
      const waiting = [...account.invoices.values()].filter(
        ({ id, customer }) => customer === given.customer && account.unauthenticated.has(id),
      )
      for (const invoice of waiting) authenticateInvoice(account, invoice, given.succeeds)
      return liveSubscription(account, given.customer)?.status ?? null
    },
    abandon: (body) => expireSession(account, sessionOf(Session.parse(body).session)),
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
      const { customer } = Customer.parse(body)
      const invoices = [...account.invoices.values()].filter(
        (invoice) => invoice.customer === customer && invoice.automatically_finalizes_at === null,
      )
      for (const invoice of invoices) payInvoice(account, invoice)
      return liveSubscription(account, customer)?.status ?? null
    },
  }
}
