import { z } from 'zod'
import type Stripe from 'stripe'
import type { PromotionCode } from './account.ts'
import { found } from './account.ts'
import type { ApiRoute } from './api.ts'
import { expand, readInput, text } from './inputs.ts'
import { invalid } from './stripe-error.ts'

const NewCoupon = z.strictObject({
  percent_off: z.coerce.number().gt(0).max(100),
  duration: z.enum(['once', 'forever']).default('once'),
  expand,
})
const NewPromotionCode = z.strictObject({
  promotion: z.strictObject({ type: z.literal('coupon'), coupon: text }),
  code: z.string().regex(/^[A-Za-z0-9-]+$/),
  expand,
})

export const discountRoutes: Record<string, ApiRoute> = {
  'POST /v1/coupons': ({ account, input }) => {
    const given = readInput(NewCoupon, input)
    const coupon: Stripe.Coupon = {
      id: account.newId('co'),
      object: 'coupon',
      amount_off: null,
      created: account.clock.now(),
      currency: null,
      duration: given.duration,
      duration_in_months: null,
      livemode: false,
      max_redemptions: null,
      metadata: {},
      name: null,
      percent_off: given.percent_off,
      redeem_by: null,
      times_redeemed: 0,
      valid: true,
    }
    account.coupons.set(coupon.id, coupon)
    return coupon
  },
  'POST /v1/promotion_codes': ({ account, input }) => {
    const given = readInput(NewPromotionCode, input)
    found(account.coupons, 'coupon', given.promotion.coupon, 'promotion[coupon]')
    const id = account.newId('promo')
    const isTaken = [...account.promotionCodes.values()].some(
      (each) => each.code.toLowerCase() === given.code.toLowerCase(),
    )
    if (isTaken)
      throw invalid(`An active promotion code with \`code: ${given.code}\` already exists.`, {
        param: 'code',
      })
    const promotion: PromotionCode = {
      id,
      object: 'promotion_code',
      active: true,
      code: given.code,
      created: account.clock.now(),
      customer: null,
      customer_account: null,
      expires_at: null,
      livemode: false,
      max_redemptions: null,
      metadata: {},
      promotion: given.promotion,
      restrictions: {
        first_time_transaction: false,
        minimum_amount: null,
        minimum_amount_currency: null,
      },
      times_redeemed: 0,
    }
    account.promotionCodes.set(id, promotion)
    return promotion
  },
}
