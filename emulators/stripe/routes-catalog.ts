import { z } from 'zod'
import { found } from './account.ts'
import { pageOf } from './answers.ts'
import { pathId, type ApiRoute } from './api.ts'
import { addMeter, addPrice, addProduct } from './catalog.ts'
import { INTERVALS } from './clock.ts'
import { expand, flag, ignored, mergedMetadata, metadata, page, readInput, text, whole } from './inputs.ts'
import { invalid } from './stripe-error.ts'

const Recurring = z.strictObject({
  interval: z.enum(INTERVALS),
  interval_count: whole.min(1).default(1),
  meter: text.optional(),
  usage_type: z.enum(['licensed', 'metered']).default('licensed'),
})
const NewPrice = z.strictObject({
  currency: z.literal('usd'),
  product: text.optional(),
  product_data: z.strictObject({ name: text, metadata: ignored }).optional(),
  recurring: Recurring,
  unit_amount: z.string().regex(/^\d+$/).optional(),
  unit_amount_decimal: z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .optional(),
  lookup_key: text.optional(),
  transfer_lookup_key: flag.default(false),
  nickname: text.optional(),
  metadata: metadata.default({}),
  billing_scheme: ignored,
  tax_behavior: ignored,
  expand,
})
const PriceList = z.strictObject({
  ...page,
  lookup_keys: z.array(text).max(10).optional(),
  active: flag.optional(),
  product: text.optional(),
  type: ignored,
  currency: ignored,
})
const PriceUpdate = z.strictObject({
  active: flag.optional(),
  lookup_key: text.optional(),
  nickname: text.optional(),
  metadata: metadata.optional(),
  expand,
})
const NewMeter = z.strictObject({
  display_name: text,
  event_name: text,
  default_aggregation: z.strictObject({ formula: z.literal('sum') }),
  customer_mapping: ignored,
  value_settings: ignored,
  expand,
})

/** Prices and meters, for setting up an account. */
export const catalogRoutes: Record<string, ApiRoute> = {
  'POST /v1/prices': ({ account, input }) => {
    const given = readInput(NewPrice, input)
    const product = given.product ?? addProduct(account, given.product_data?.name ?? 'Product')
    const taken = [...account.prices.values()].find(
      ({ lookup_key }) => lookup_key !== null && lookup_key === given.lookup_key,
    )
    if (taken !== undefined && !given.transfer_lookup_key)
      throw invalid(`A price (\`${taken.id}\`) already uses that lookup key.`, { param: 'lookup_key' })
    if (taken !== undefined) taken.lookup_key = null
    return addPrice(account, {
      product: found(account.products, 'product', product, 'product').id,
      lookupKey: given.lookup_key ?? null,
      interval: given.recurring.interval,
      intervalCount: given.recurring.interval_count,
      unitAmount: given.unit_amount_decimal ?? given.unit_amount ?? '0',
      meter: given.recurring.meter ?? null,
      metadata: given.metadata,
      nickname: given.nickname ?? null,
    })
  },
  'GET /v1/prices': ({ account, input }) => {
    const given = readInput(PriceList, input)
    const meant = [...account.prices.values()].filter(
      (price) =>
        (given.lookup_keys === undefined || given.lookup_keys.includes(price.lookup_key ?? '')) &&
        (given.active === undefined || given.active === price.active) &&
        (given.product === undefined || given.product === price.product),
    )
    return pageOf(meant, given, '/v1/prices')
  },
  'GET /v1/prices/:id': (call) => found(call.account.prices, 'price', pathId(call)),
  'POST /v1/prices/:id': (call) => {
    const price = found(call.account.prices, 'price', pathId(call))
    const given = readInput(PriceUpdate, call.input)
    if (given.active !== undefined) price.active = given.active
    if (given.lookup_key !== undefined) price.lookup_key = given.lookup_key === '' ? null : given.lookup_key
    if (given.nickname !== undefined) price.nickname = given.nickname
    if (given.metadata !== undefined) price.metadata = mergedMetadata(price.metadata, given.metadata)
    return price
  },
  'POST /v1/billing/meters': ({ account, input }) => {
    const given = readInput(NewMeter, input)
    return addMeter(account, { displayName: given.display_name, eventName: given.event_name })
  },
  'GET /v1/billing/meters': ({ account, input }) => {
    const given = readInput(
      z.strictObject({ ...page, status: z.enum(['active', 'inactive']).optional() }),
      input,
    )
    const all = [...account.meters.values()]
    const meant = all.filter(({ status }) => given.status === undefined || given.status === status)
    return pageOf(meant, given, '/v1/billing/meters')
  },
}
