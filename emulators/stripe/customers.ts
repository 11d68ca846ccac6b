import type Stripe from 'stripe'
import type { Account, PaymentMethod } from './account.ts'
import { found } from './account.ts'

/**
 * How a card behaves when charged. `later` works at first and is declined from then on. The owner of
 * `authenticate_once` authenticates the first payment, the owner of `authenticate_always` each one.
 */
type CardBehavior = 'works' | 'declined' | 'later' | 'authenticate_once' | 'authenticate_always'

/** The available cards, with the numbers of Stripe's test mode. */
export const TEST_CARDS = {
  '4242424242424242': { behavior: 'works', says: 'works' },
  '4000000000000341': { behavior: 'later', says: 'works now, is declined from the next payment on' },
  '4000002500003155': { behavior: 'authenticate_once', says: 'needs authentication for the first payment' },
  '4000002760003184': { behavior: 'authenticate_always', says: 'needs authentication for every payment' },
  '4000000000000002': { behavior: 'declined', says: 'is declined at once' },
} as const satisfies Record<string, { behavior: CardBehavior; says: string }>

export type TestCard = keyof typeof TEST_CARDS

export function isTestCard(number: string): number is TestCard {
  return Object.hasOwn(TEST_CARDS, number)
}

export function addCustomer(
  account: Account,
  given: {
    email: string | null
    name: string | null
    description: string | null
    metadata: Record<string, string>
  },
): Stripe.Customer {
  const id = account.newId('cus')
  const customer: Stripe.Customer = {
    id,
    object: 'customer',
    address: null,
    balance: 0,
    created: account.clock.now(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: given.description,
    discount: null,
    email: given.email,
    invoice_prefix: `EM${id.slice(-6)}`,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: given.metadata,
    name: given.name,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  }
  account.customers.set(id, customer)
  account.emit('customer.created', customer)
  return customer
}

export function attachCard(account: Account, customerId: string, number: TestCard): PaymentMethod {
  const customer = found(account.customers, 'customer', customerId)
  const method: PaymentMethod = {
    id: account.newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'always',
    billing_details: {
      address: null,
      email: customer.email,
      name: customer.name ?? null,
      phone: null,
      tax_id: null,
    },
    card: {
      brand: 'visa',
      checks: null,
      country: 'US',
      display_brand: 'visa',
      exp_month: 12,
      exp_year: 2099,
      fingerprint: `emulator${number.slice(-4)}`,
      funding: 'credit',
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: ['visa'], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: account.clock.now(),
    customer: customerId,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  }
  account.paymentMethods.set(method.id, method)
  account.emit('payment_method.attached', method)
  const previous = customer.invoice_settings
  customer.invoice_settings = { ...previous, default_payment_method: method.id }
  account.emit('customer.updated', customer, { invoice_settings: previous })
  return method
}

/** The result of charging a stored card without its owner. */
export function chargeOf(method: PaymentMethod | undefined): 'paid' | 'declined' | 'requires_action' {
  const behavior = Object.entries(TEST_CARDS).find(([number]) =>
    number.endsWith(method?.card.last4 ?? '-'),
  )?.[1].behavior
  if (behavior === 'works' || behavior === 'authenticate_once') return 'paid'
  return behavior === 'authenticate_always' ? 'requires_action' : 'declined'
}

/** Whether the card's owner must authenticate a checkout payment. */
export function needsAuthentication(card: TestCard): boolean {
  const { behavior } = TEST_CARDS[card]
  return behavior === 'authenticate_once' || behavior === 'authenticate_always'
}
