import type { EmulatorReply, EmulatorRequest } from '../../kit/server.ts'
import type Stripe from 'stripe'
import { found, type Account, type CheckoutSession } from '../account.ts'
import { authenticateCheckout, expireSession, payCheckout, successUrlOf, type Payment } from '../checkout.ts'
import { isTestCard, type TestCard } from '../customers.ts'
import { nextDueAt } from '../due.ts'
import { authenticateInvoice, payInvoice } from '../invoices.ts'
import type { Meters } from '../meters.ts'
import { changePlan, liveSubscription, replaceCard } from '../portal.ts'
import { invalid } from '../stripe-error.ts'
import { planItem } from '../subscription-items.ts'
import { setCancelAtPeriodEnd } from '../subscriptions.ts'
import { releaseSchedule, updating } from '../subscription-status.ts'
import { checkoutPage } from './checkout-page.ts'
import { clockPage } from './clock-page.ts'
import { invoicePage } from './invoice-page.ts'
import { redirectTo } from './layout.ts'
import { portalPage } from './portal-page.ts'

const STEP_MAX_SECONDS = 400 * 86_400

/** The hosted pages and their forms' actions; null for other paths. */
export function pageRoutes(
  account: Account,
  { advanceTo, meters }: { advanceTo: (time: number) => void; meters: Meters },
): (request: EmulatorRequest) => EmulatorReply | null {
  return (request) => {
    const [, name = '', id = '', ...rest] = request.path.split('/')
    const form = new URLSearchParams(request.body)
    const isPost = request.method === 'POST'
    switch (name) {
      case '':
        return clockPage(account, meters)
      case 'clock':
        if (!isPost) return redirectTo('/')
        advanceTo(targetOf(account, form))
        return redirectTo('/')
      case 'checkout':
        return isPost
          ? checkoutAction(account, { id, action: rest[0] ?? '', form })
          : checkoutPage(account, found(account.checkoutSessions, 'checkout.session', id), {
              isDeclined: request.query.has('declined'),
            })
      case 'portal':
        return isPost
          ? portalAction(account, { id, action: rest[0] ?? '', subject: rest[1] ?? '', form })
          : portalPage(
              account,
              found(account.portalSessions, 'billing_portal.session', id),
              request.query.get('said'),
            )
      case 'invoice':
        if (isPost) return invoiceAction(account, { id, action: rest[0] ?? '', form })
        return invoicePage(account, found(account.invoices, 'invoice', id))
      default:
        return null
    }
  }
}

function targetOf(account: Account, form: URLSearchParams): number {
  const now = account.clock.now()
  if (form.has('next')) return nextDueAt(account) ?? now
  const seconds = Number(form.get('seconds'))
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > STEP_MAX_SECONDS) throw invalid('Unknown step.')
  return now + seconds
}

function cardOf(form: URLSearchParams): TestCard {
  const number = form.get('card') ?? ''
  if (!isTestCard(number)) throw invalid('Choose one of the cards.')
  return number
}

function checkoutAction(
  account: Account,
  { id, action, form }: { id: string; action: string; form: URLSearchParams },
): EmulatorReply {
  const session = found(account.checkoutSessions, 'checkout.session', id)
  if (action === 'abandon') {
    expireSession(account, session)
    return redirectTo(session.cancel_url ?? `/checkout/${id}`)
  }
  if (action === 'authenticate')
    return afterPayment(session, authenticateCheckout(account, session, form.get('succeeds') === 'yes'))
  const given = { card: cardOf(form), email: filledIn(form, 'email'), code: filledIn(form, 'code') }
  return afterPayment(session, payCheckout(account, session, given))
}

function filledIn(form: URLSearchParams, name: string): string | null {
  const value = form.get(name)?.trim() ?? ''
  return value === '' ? null : value
}

function afterPayment(session: CheckoutSession, payment: Payment): EmulatorReply {
  if (payment === 'complete') return redirectTo(successUrlOf(session))
  return redirectTo(payment === 'declined' ? `/checkout/${session.id}?declined=1` : `/checkout/${session.id}`)
}

function invoiceAction(
  account: Account,
  { id, action, form }: { id: string; action: string; form: URLSearchParams },
): EmulatorReply {
  const invoice = found(account.invoices, 'invoice', id)
  if (action === 'authenticate') authenticateInvoice(account, invoice, form.get('succeeds') === 'yes')
  else payInvoice(account, invoice)
  return redirectTo(`/invoice/${id}`)
}

function portalAction(
  account: Account,
  given: { id: string; action: string; subject: string; form: URLSearchParams },
): EmulatorReply {
  const session = found(account.portalSessions, 'billing_portal.session', given.id)
  return redirectTo(`/portal/${given.id}?said=${act(account, session, given)}`)
}

/** Runs the action of a portal form; returns its message. */
function act(
  account: Account,
  session: Stripe.BillingPortal.Session,
  { action, subject, form }: { action: string; subject: string; form: URLSearchParams },
): string {
  if (action === 'card') return replaceCard(account, session.customer, cardOf(form))
  if (action === 'pay') {
    const invoice = found(account.invoices, 'invoice', subject)
    if (invoice.customer !== session.customer) throw invalid('That invoice is not yours.')
    payInvoice(account, invoice)
    if (account.unauthenticated.has(invoice.id)) return 'unauthenticated'
    return invoice.amount_remaining === 0 ? 'paid' : 'unpaid'
  }
  const subscription = liveSubscription(account, session.customer)
  if (subscription === undefined) throw invalid('There is no subscription.')
  switch (action) {
    case 'plan': {
      const price = found(account.prices, 'price', form.get('price') ?? '')
      if (price.id === planItem(subscription)?.price.id) {
        updating(account, subscription, () => releaseSchedule(account, subscription))
        return 'unchanged'
      }
      return changePlan(account, subscription, price) === 'now' ? 'changed' : 'planned'
    }
    case 'cancel':
      setCancelAtPeriodEnd(account, subscription, true)
      return 'canceled'
    case 'resume':
      setCancelAtPeriodEnd(account, subscription, false)
      return 'resumed'
    default:
      throw invalid('That is nothing one can do here.')
  }
}
