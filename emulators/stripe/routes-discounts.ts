import { z } from 'zod'
import type Stripe from 'stripe'
import type { PromotionCode } from './account.ts'
import { found } from './account.ts'
import type { ApiRoute } from './api.ts'
import { expand, flag, ignored, mergedMetadata, metadata, readInput, text, whole } from './inputs.ts'
import { invalid } from './stripe-error.ts'

const NewCoupon = z.strictObject({
  id: text.optional(),
  percent_off: z.coerce.number().gt(0).max(100).optional(),
  amount_off: whole.min(1).optional(),
  currency: z.literal('usd').optional(),
  duration: z.enum(['once', 'repeating', 'forever']).default('once'),
  duration_in_months: whole.min(1).optional(),
  max_redemptions: whole.min(1).optional(),
  redeem_by: ignored,
  name: text.optional(),
  metadata: metadata.default({}),
  expand,
})
const NewPromotionCode = z.strictObject({
  promotion: z.strictObject({ type: z.literal('coupon'), coupon: text }),
  code: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/)
    .optional(),
  active: flag.default(true),
  customer: text.optional(),
  expires_at: whole.optional(),
  max_redemptions: whole.min(1).optional(),
  restrictions: z.strictObject({ first_time_transaction: flag.default(false) }).optional(),
  metadata: metadata.default({}),
  expand,
})

/** Refuses combinations of a coupon's fields as Stripe does. */
function refuseCoupon(given: z.output<typeof NewCoupon>): void {
  if ((given.percent_off === undefined) === (given.amount_off === undefined))
    throw invalid('You must specify either `percent_off` or `amount_off`, and not both.')
  if (given.amount_off !== undefined && given.currency === undefined)
    throw invalid('You must pass `currency` when passing `amount_off`.', { param: 'currency' })
  if ((given.duration === 'repeating') !== (given.duration_in_months !== undefined))
    throw invalid('`duration_in_months` is required when `duration` is `repeating`, and only then.', {
      param: 'duration_in_months',
    })
}

export const discountRoutes: Record<string, ApiRoute> = {
  'POST /v1/coupons': ({ account, input }) => {
    const given = readInput(NewCoupon, input)
    refuseCoupon(given)
    const coupon: Stripe.Coupon = {
      id: given.id ?? account.newId('co'),
      object: 'coupon',
      amount_off: given.amount_off ?? null,
      created: account.clock.now(),
      currency: given.currency ?? null,
      duration: given.duration,
      duration_in_months: given.duration_in_months ?? null,
      livemode: false,
      max_redemptions: given.max_redemptions ?? null,
      metadata: mergedMetadata({}, given.metadata),
      name: given.name ?? null,
      percent_off: given.percent_off ?? null,
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
    const code = given.code ?? id.slice(-8).toUpperCase()
    const isTaken = [...account.promotionCodes.values()].some(
      (each) => each.active && each.code.toLowerCase() === code.toLowerCase(),
    )
    if (isTaken)
      throw invalid(`An active promotion code with \`code: ${code}\` already exists.`, { param: 'code' })
    const promotion: PromotionCode = {
      id,
      object: 'promotion_code',
      active: given.active,
      code,
      created: account.clock.now(),
      customer: given.customer ?? null,
      customer_account: null,
      expires_at: given.expires_at ?? null,
      livemode: false,
      max_redemptions: given.max_redemptions ?? null,
      metadata: mergedMetadata({}, given.metadata),
      promotion: given.promotion,
      restrictions: {
        first_time_transaction: given.restrictions?.first_time_transaction ?? false,
        minimum_amount: null,
        minimum_amount_currency: null,
      },
      times_redeemed: 0,
    }
    account.promotionCodes.set(id, promotion)
    return promotion
  },
}
