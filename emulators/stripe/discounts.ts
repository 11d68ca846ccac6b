import type Stripe from 'stripe'
import type { Account, Discount, GivenDiscount, Invoice, Subscription } from './account.ts'
import { found } from './account.ts'
import { invalid } from './stripe-error.ts'

/** The promotion code that a customer enters. @throws StripeError 400 when there is none */
export function enteredCode(account: Account, code: string): GivenDiscount {
  const promotion = [...account.promotionCodes.values()].find(
    (each) => each.code.toLowerCase() === code.toLowerCase(),
  )
  if (promotion === undefined) throw invalid('This code is invalid.')
  return { coupon: promotion.promotion.coupon, promotionCode: promotion.id }
}

export function addDiscount(
  account: Account,
  subscription: Subscription,
  given: GivenDiscount & { session: string | null },
): void {
  const coupon = found(account.coupons, 'coupon', given.coupon)
  const discount: Discount = {
    id: account.newId('di'),
    object: 'discount',
    checkout_session: given.session,
    customer: subscription.customer,
    customer_account: null,
    end: null,
    invoice: null,
    invoice_item: null,
    promotion_code: given.promotionCode,
    source: { coupon: coupon.id, type: 'coupon' },
    start: account.clock.now(),
    subscription: subscription.id,
    subscription_item: null,
  }
  account.discounts.set(discount.id, discount)
  subscription.discounts = [discount.id]
}

/** Subtracts the invoice's discounts from its charges. @returns the reduction in cents */
export function discountLines(account: Account, invoice: Invoice): number {
  for (const line of invoice.lines.data) line.discount_amounts = []
  invoice.total_discount_amounts = invoice.discounts.map((id) => {
    const coupon = account.coupons.get(account.discounts.get(id)?.source.coupon ?? '')
    return { amount: coupon === undefined ? 0 : discountBy(coupon, id, invoice.lines.data), discount: id }
  })
  return invoice.total_discount_amounts.reduce((sum, { amount }) => sum + amount, 0)
}

function discountBy(coupon: Stripe.Coupon, discount: string, lines: Stripe.InvoiceLineItem[]): number {
  let taken = 0
  for (const line of lines) {
    if (!line.discountable || line.amount <= 0) continue
    const amount = Math.round((line.amount * (coupon.percent_off ?? 0)) / 100)
    taken += amount
    line.discount_amounts = [...(line.discount_amounts ?? []), { amount, discount }]
  }
  return taken
}

/** Ends one-time discounts with the first invoice that they reduce. */
export function spendDiscounts(account: Account, invoice: Invoice): void {
  for (const { amount, discount } of invoice.total_discount_amounts ?? []) {
    const held = account.discounts.get(typeof discount === 'string' ? discount : discount.id)
    if (held === undefined || amount === 0) continue
    if (account.coupons.get(held.source.coupon)?.duration !== 'once') continue
    const subscription = account.subscriptions.get(held.subscription ?? '')
    if (subscription !== undefined)
      subscription.discounts = subscription.discounts.filter((id) => id !== held.id)
  }
}
