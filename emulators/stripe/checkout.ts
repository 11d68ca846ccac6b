import type Stripe from 'stripe'
import type { Account, CheckoutPlan, CheckoutSession } from './account.ts'
import { found } from './account.ts'
import { amountOf } from './catalog.ts'
import {
  addCustomer,
  attachCard,
  isTestCard,
  needsAuthentication,
  TEST_CARDS,
  type TestCard,
} from './customers.ts'
import { enteredCode } from './discounts.ts'
import { invalid } from './stripe-error.ts'
import { expireIncomplete } from './subscription-status.ts'
import { isMetered } from './subscription-items.ts'
import { retryStart, startSubscription, trialEndAfter } from './subscriptions.ts'

export interface NewCheckout {
  customer: string | null
  customerEmail: string | null
  clientReferenceId: string | null
  successUrl: string
  cancelUrl: string | null
  lines: { price: string; quantity: number | null }[]
  metadata: Record<string, string>
  plan: CheckoutPlan
  allowsCodes: boolean
  expiresAt: number
  paymentMethodCollection: 'always' | 'if_required'
}

/** Fields that the emulator leaves empty. */
const UNUSED = {
  adaptive_pricing: null,
  after_expiration: null,
  allowed_payment_method_types: null,
  billing_address_collection: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency_conversion: null,
  custom_fields: [],
  customer_account: null,
  integration_identifier: null,
  invoice_creation: null,
  locale: null,
  managed_payments: null,
  origin_context: null,
  payment_intent: null,
  payment_link: null,
  payment_method_configuration_details: null,
  payment_method_options: null,
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  submit_type: null,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  wallet_options: null,
  custom_text: {
    after_submit: null,
    shipping_address: null,
    submit: null,
    terms_of_service_acceptance: null,
  },
} satisfies Partial<Stripe.Checkout.Session>

export function openCheckout(account: Account, given: NewCheckout): CheckoutSession {
  if (given.customer !== null) found(account.customers, 'customer', given.customer, 'customer')
  checkLines(account, given.lines)
  const id = account.newId('cs_test')
  const total = given.plan.trialDays === null ? totalOf(account, given.lines) : 0
  const session: CheckoutSession = {
    ...UNUSED,
    id,
    object: 'checkout.session',
    allow_promotion_codes: given.allowsCodes,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: {
      enabled: given.plan.automaticTax,
      liability: given.plan.automaticTax ? { type: 'self' } : null,
      provider: given.plan.automaticTax ? 'stripe' : null,
      status: given.plan.automaticTax ? 'requires_location_inputs' : null,
    },
    cancel_url: given.cancelUrl,
    client_reference_id: given.clientReferenceId,
    created: account.clock.now(),
    currency: 'usd',
    customer: given.customer,
    customer_creation: given.customer === null ? 'always' : null,
    customer_details: null,
    customer_email: given.customerEmail,
    discounts: [],
    expires_at: given.expiresAt,
    invoice: null,
    livemode: false,
    metadata: given.metadata,
    mode: 'subscription',
    payment_method_collection: given.paymentMethodCollection,
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    status: 'open',
    subscription: null,
    success_url: given.successUrl,
    ui_mode: 'hosted_page',
    url: `${account.url}/checkout/${id}`,
  }
  account.checkoutSessions.set(id, session)
  account.checkoutLines.set(id, given.lines)
  account.checkoutPlans.set(id, given.plan)
  return session
}

function checkLines(account: Account, lines: NewCheckout['lines']): void {
  for (const [index, line] of lines.entries()) {
    const param = `line_items[${index}][price]`
    const price = found(account.prices, 'price', line.price, param)
    if (!price.active) throw invalid(`The price specified is inactive: ${price.id}`, { param })
    if (isMetered(price) && line.quantity !== null)
      throw invalid('Quantity must not be specified when usage_type is metered.', { param })
    if (!isMetered(price) && line.quantity === null)
      throw invalid('Quantity is required. Add `quantity` to the line item.', { param })
  }
}

/** What is charged in advance for the lines, in cents. */
export function totalOf(account: Account, lines: NewCheckout['lines']): number {
  return lines.reduce((sum, line) => {
    const price = found(account.prices, 'price', line.price)
    return sum + (isMetered(price) ? 0 : amountOf(price, line.quantity ?? 1))
  }, 0)
}

/** The card owner's result of a payment. */
export type Payment = 'complete' | 'declined' | 'requires_action'

/**
 * Pays with a card. A working one starts the subscription and completes the session. A declined card, or one whose
 * owner must authenticate, leaves an incomplete subscription and an open session.
 */
export function payCheckout(
  account: Account,
  session: CheckoutSession,
  given: { card: TestCard; email: string | null; code: string | null },
): Payment {
  if (session.status !== 'open') throw invalid('This Checkout Session is no longer open.')
  const email = given.email ?? session.customer_email
  const customer = account.customers.get(session.customer ?? '') ?? addCustomer(account, { ...NOBODY, email })
  session.customer = customer.id
  if (given.code !== null) enterCode(account, session, given.code)
  account.challengedCards.delete(session.id)
  if (TEST_CARDS[given.card].behavior === 'declined') {
    startRefused(account, session, 'declined')
    return 'declined'
  }
  if (needsAuthentication(given.card)) {
    account.challengedCards.set(session.id, given.card)
    startRefused(account, session, 'requires_action')
    return 'requires_action'
  }
  return finish(account, session, given.card)
}

/** The card's owner authenticates a session's payment, or fails to. @throws StripeError 400 */
export function authenticateCheckout(account: Account, session: CheckoutSession, succeeds: boolean): Payment {
  const card = account.challengedCards.get(session.id)
  if (card === undefined || !isTestCard(card) || session.status !== 'open')
    throw invalid('This payment needs no authentication.')
  account.challengedCards.delete(session.id)
  return succeeds ? finish(account, session, card) : 'declined'
}

function enterCode(account: Account, session: CheckoutSession, code: string): void {
  if (session.allow_promotion_codes !== true) throw invalid('This page takes no promotion codes.')
  const discount = enteredCode(account, code)
  account.checkoutPlans.set(session.id, { ...planOf(account, session), discount })
  session.discounts = [{ coupon: null, promotion_code: discount.promotionCode }]
}

function planOf(account: Account, session: CheckoutSession): CheckoutPlan {
  return found(account.checkoutPlans, 'checkout.session', session.id)
}

/** Creates an incomplete subscription, unless one exists. */
function startRefused(
  account: Account,
  session: CheckoutSession,
  refusal: 'declined' | 'requires_action',
): void {
  if (account.subscriptions.get(session.subscription ?? '')?.status === 'incomplete') return
  const started = startSubscription(account, { ...startOf(account, session), paymentMethod: null, refusal })
  session.subscription = started.id
}

function startOf(account: Account, session: CheckoutSession) {
  const { trialDays, metadata, automaticTax, discount } = planOf(account, session)
  return {
    customer: session.customer ?? '',
    items: account.checkoutLines.get(session.id) ?? [],
    trialEnd: trialEndAfter(account, trialDays),
    metadata,
    automaticTax,
    discount: discount && { ...discount, session: session.id },
  }
}

/** Starts the subscription with a paid first invoice, and completes the session. */
function finish(account: Account, session: CheckoutSession, card: TestCard): Payment {
  const start = startOf(account, session)
  const paymentMethod = attachCard(account, start.customer, card).id
  const waiting = account.subscriptions.get(session.subscription ?? '')
  if (waiting?.status === 'incomplete') retryStart(account, waiting, { ...start, paymentMethod })
  else session.subscription = startSubscription(account, { ...start, paymentMethod }).id
  const subscription = found(account.subscriptions, 'subscription', session.subscription ?? '')
  if (subscription.status === 'incomplete') return 'declined'
  complete(account, session, subscription.latest_invoice)
  return 'complete'
}

const NOBODY = { name: null, description: null, metadata: {} }

function complete(account: Account, session: CheckoutSession, invoiceId: string | null): void {
  const customer = found(account.customers, 'customer', session.customer ?? '')
  const invoice = found(account.invoices, 'invoice', invoiceId ?? '')
  session.status = 'complete'
  session.payment_status = invoice.total === 0 ? 'no_payment_required' : 'paid'
  session.invoice = invoice.id
  session.url = null
  session.amount_subtotal = invoice.subtotal
  session.amount_total = invoice.total
  session.total_details = {
    amount_discount: (invoice.total_discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0),
    amount_shipping: 0,
    amount_tax: (invoice.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0),
  }
  if (session.automatic_tax.enabled) session.automatic_tax.status = 'complete'
  session.customer_details = {
    address: null,
    business_name: null,
    email: customer.email,
    individual_name: null,
    name: customer.name ?? null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  }
  account.emit('checkout.session.completed', session)
}

/** Ends an open session and its incomplete subscription. */
export function expireSession(account: Account, session: CheckoutSession): void {
  if (session.status !== 'open') {
    const message = `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`
    throw invalid(message)
  }
  session.status = 'expired'
  session.url = null
  const subscription = account.subscriptions.get(session.subscription ?? '')
  if (subscription?.status === 'incomplete') expireIncomplete(account, subscription)
  account.emit('checkout.session.expired', session)
}

/** The redirect after paying, with the session's id in its placeholder. */
export function successUrlOf(session: CheckoutSession): string {
  return (session.success_url ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', session.id)
}
