import { Stripe } from 'stripe'
import type { Account, Invoice, Price, Subscription, SubscriptionItem } from './account.ts'
import { found, listOf } from './account.ts'
import { setAmounts } from './invoice-amounts.ts'

export type BillingReason = 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'upcoming'

/** Fields that the emulator leaves empty. */
const UNUSED = {
  account_country: 'US',
  account_name: 'Stripe emulator',
  account_tax_ids: null,
  amount_overpaid: 0,
  amount_shipping: 0,
  application: null,
  custom_fields: null,
  customer_account: null,
  customer_address: null,
  customer_phone: null,
  customer_shipping: null,
  customer_tax_exempt: 'none',
  customer_tax_ids: [],
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  due_date: null,
  footer: null,
  from_invoice: null,
  invoice_pdf: null,
  issuer: { type: 'self' },
  last_finalization_error: null,
  latest_revision: null,
  metadata: {},
  on_behalf_of: null,
  payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
  post_payment_credit_notes_amount: 0,
  pre_payment_credit_notes_amount: 0,
  receipt_number: null,
  rendering: null,
  shipping_cost: null,
  shipping_details: null,
  statement_descriptor: null,
  test_clock: null,
  total_discount_amounts: [],
  total_pretax_credit_amounts: [],
  total_taxes: [],
  webhooks_delivered_at: null,
} satisfies Partial<Stripe.Invoice>

export function newInvoice(
  account: Account,
  given: {
    id: string
    subscription: Subscription
    lines: Stripe.InvoiceLineItem[]
    reason: BillingReason
    period: { start: number; end: number }
  },
): Invoice {
  const { id, subscription, lines, reason, period } = given
  const customer = found(account.customers, 'customer', subscription.customer)
  const isTaxed = subscription.automatic_tax.enabled
  for (const line of lines) line.invoice = id
  const invoice: Invoice = {
    ...UNUSED,
    id,
    object: 'invoice',
    amount_due: 0,
    amount_paid: 0,
    amount_remaining: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: {
      disabled_reason: null,
      enabled: isTaxed,
      liability: isTaxed ? { type: 'self' } : null,
      provider: isTaxed ? 'stripe' : null,
      status: isTaxed ? 'complete' : null,
    },
    automatically_finalizes_at: null,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created: account.clock.now(),
    currency: 'usd',
    customer: customer.id,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    discounts: [...subscription.discounts],
    effective_at: null,
    ending_balance: null,
    hosted_invoice_url: null,
    lines: listOf(lines, `/v1/invoices/${id}/lines`),
    livemode: false,
    next_payment_attempt: null,
    number: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    period_end: period.end,
    period_start: period.start,
    starting_balance: customer.balance,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: 0,
    subtotal_excluding_tax: 0,
    total: 0,
    total_excluding_tax: 0,
  }
  setAmounts(account, invoice)
  return invoice
}

export function newLine(
  account: Account,
  given: {
    subscription: Subscription
    item: SubscriptionItem
    price: Price
    amount: number
    quantity: number
    description: string
    period: { start: number; end: number }
    proration: boolean
  },
): Stripe.InvoiceLineItem {
  const { subscription, item, price, amount, quantity } = given
  return {
    id: account.newId('il'),
    object: 'line_item',
    amount,
    currency: 'usd',
    description: given.description,
    discount_amounts: [],
    // A credit repays what was paid, so it already includes the discount.
    discountable: amount >= 0,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: subscription.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: given.proration,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: item.id,
      },
      type: 'subscription_item_details',
    },
    period: given.period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: price.product },
      type: 'price_details',
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity,
    quantity_decimal: Stripe.Decimal.from(quantity),
    subscription: subscription.id,
    subtotal: amount,
    taxes: [],
  }
}
