import type Stripe from 'stripe'
import type { Account, Discount, GivenDiscount, Invoice, PromotionCode, Subscription } from './account.ts'
import { found } from './account.ts'
import { invalid } from './stripe-error.ts'

/** The promotion code that a customer enters. @throws StripeError 400 when it is invalid for them */
export function enteredCode(account: Account, code: string, customer: string | null): GivenDiscount {
  const promotion = [...account.promotionCodes.values()].find(
    (each) => each.active && each.code.toLowerCase() === code.toLowerCase(),
  )
  if (promotion === undefined || !isValid(account, promotion, customer))
    throw invalid('This code is invalid.')
  return { coupon: promotion.promotion.coupon, promotionCode: promotion.id }
}

function isValid(account: Account, promotion: PromotionCode, customer: string | null): boolean {
  const { expires_at, max_redemptions, times_redeemed } = promotion
  if (expires_at !== null && expires_at <= account.clock.now()) return false
  if (max_redemptions !== null && times_redeemed >= max_redemptions) return false
  if (promotion.customer !== null && promotion.customer !== customer) return false
  if (promotion.restrictions.first_time_transaction && hasPaid(account, customer)) return false
  return account.coupons.get(promotion.promotion.coupon)?.valid === true
}

function hasPaid(account: Account, customer: string | null): boolean {
  return [...account.invoices.values()].some(
    (invoice) => invoice.customer === customer && invoice.status === 'paid' && invoice.amount_paid > 0,
  )
}

/** The discount that a call's `discounts` names. @throws StripeError 400 or 404 */
export function namedDiscount(
  account: Account,
  given: { coupon?: string | undefined; promotion_code?: string | undefined },
  customer: string | null,
): GivenDiscount {
  if (given.promotion_code !== undefined) {
    const { code } = found(
      account.promotionCodes,
      'promotion code',
      given.promotion_code,
      'discounts[0][promotion_code]',
    )
    return enteredCode(account, code, customer)
  }
  const coupon = found(account.coupons, 'coupon', given.coupon ?? '', 'discounts[0][coupon]')
  return { coupon: coupon.id, promotionCode: null }
}

export function addDiscount(
  account: Account,
  subscription: Subscription,
  given: GivenDiscount & { session: string | null },
): void {
  const coupon = found(account.coupons, 'coupon', given.coupon)
  const start = account.clock.now()
  const months = coupon.duration === 'repeating' ? (coupon.duration_in_months ?? 0) : null
  const discount: Discount = {
    id: account.newId('di'),
    object: 'discount',
    checkout_session: given.session,
    customer: subscription.customer,
    customer_account: null,
    end: months === null ? null : monthsAfter(start, months),
    invoice: null,
    invoice_item: null,
    promotion_code: given.promotionCode,
    source: { coupon: coupon.id, type: 'coupon' },
    start,
    subscription: subscription.id,
    subscription_item: null,
  }
  account.discounts.set(discount.id, discount)
  subscription.discounts = [discount.id]
  coupon.times_redeemed += 1
  const promotion = account.promotionCodes.get(given.promotionCode ?? '')
  if (promotion !== undefined) promotion.times_redeemed += 1
}

function monthsAfter(time: number, months: number): number {
  const date = new Date(time * 1000)
  return date.setUTCMonth(date.getUTCMonth() + months) / 1000
}

export function currentDiscounts(account: Account, subscription: Subscription): string[] {
  const now = account.clock.now()
  return subscription.discounts.filter((id) => {
    const end = account.discounts.get(id)?.end ?? null
    return end === null || end > now
  })
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
  const most = coupon.amount_off ?? Number.POSITIVE_INFINITY
  let taken = 0
  for (const line of lines) {
    if (!line.discountable || line.amount <= 0) continue
    const share =
      coupon.percent_off === null ? line.amount : Math.round((line.amount * coupon.percent_off) / 100)
    const amount = Math.min(share, most - taken)
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
