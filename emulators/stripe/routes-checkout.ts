import { z } from 'zod'
import type { Account, CheckoutSession } from './account.ts'
import { found } from './account.ts'
import { pageOf } from './answers.ts'
import { pathId, type ApiCall, type ApiRoute } from './api.ts'
import { expireSession, openCheckout } from './checkout.ts'
import { DAY, HOUR } from './clock.ts'
import { expand, flag, ignored, mergedMetadata, metadata, page, readInput, text, whole } from './inputs.ts'
import { openPortal } from './portal.ts'
import { invalid } from './stripe-error.ts'

const whetherKept = z.enum(['auto', 'never']).optional()

const NewSession = z.strictObject({
  mode: z.literal('subscription'),
  line_items: z
    .array(z.strictObject({ price: text, quantity: whole.min(1).optional(), metadata: ignored }))
    .min(1)
    .max(20),
  customer: text.optional(),
  customer_email: text.optional(),
  client_reference_id: z.string().max(200).optional(),
  success_url: z.url(),
  cancel_url: z.url().optional(),
  expires_at: whole.optional(),
  metadata: metadata.default({}),
  payment_method_collection: z.enum(['always', 'if_required']).default('always'),
  payment_method_types: z.array(z.literal('card')).optional(),
  subscription_data: z
    .strictObject({
      trial_period_days: whole.min(1).max(730).optional(),
      trial_end: whole.optional(),
      trial_settings: ignored,
      metadata: metadata.default({}),
      description: ignored,
      billing_mode: ignored,
    })
    .optional(),
  ui_mode: z.enum(['hosted', 'hosted_page']).optional(),
  allow_promotion_codes: flag.optional(),
  automatic_tax: z.looseObject({ enabled: flag }).optional(),
  billing_address_collection: ignored,
  consent_collection: ignored,
  custom_text: ignored,
  customer_update: z
    .strictObject({ address: whetherKept, name: whetherKept, shipping: whetherKept })
    .optional(),
  locale: ignored,
  saved_payment_method_options: ignored,
  tax_id_collection: z.looseObject({ enabled: flag }).optional(),
  expand,
})
const SessionList = z.strictObject({
  ...page,
  customer: text.optional(),
  subscription: text.optional(),
  status: z.enum(['open', 'complete', 'expired']).optional(),
})
const NewPortalSession = z.strictObject({
  customer: text,
  return_url: z.url().optional(),
  configuration: ignored,
  flow_data: ignored,
  locale: ignored,
  expand,
})

/** Refuses combinations of options as Stripe does. */
function refuseTogether({
  customer,
  customer_email: email,
  subscription_data: plan,
  customer_update: update,
  tax_id_collection: taxIds,
  automatic_tax: tax,
}: z.infer<typeof NewSession>): void {
  if (customer !== undefined && email !== undefined)
    throw invalid('You may only specify one of these parameters: customer, customer_email.', {
      param: 'customer',
    })
  if (plan?.trial_period_days !== undefined && plan.trial_end !== undefined)
    throw invalid(
      'You may only specify one of these parameters: subscription_data[trial_end], subscription_data[trial_period_days].',
      { param: 'subscription_data' },
    )
  if (update && customer === undefined)
    throw invalid('`customer_update` can only be used with `customer`.', { param: 'customer_update' })
  if (customer !== undefined && taxIds?.enabled === true && update?.name !== 'auto')
    throw invalid(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
      { param: 'customer_update' },
    )
  if (
    customer !== undefined &&
    tax?.enabled === true &&
    update?.address !== 'auto' &&
    update?.shipping !== 'auto'
  )
    throw invalid(
      'Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to `auto` or `customer_update[shipping]` to `auto`.',
      { code: 'customer_tax_location_invalid', param: 'automatic_tax' },
    )
}

function refuseWithoutTax({ settings }: Account): void {
  if (settings.taxPercent !== null) return
  const message =
    'You must have a valid head office address to enable automatic tax calculation in test mode. Visit https://dashboard.stripe.com/test/settings/tax to update it.'
  throw invalid(message, { param: 'automatic_tax' })
}

export const checkoutRoutes: Record<string, ApiRoute> = {
  'POST /v1/checkout/sessions': (call) => {
    const given = readInput(NewSession, call.input)
    const plan = given.subscription_data
    refuseTogether(given)
    const automaticTax = given.automatic_tax?.enabled === true
    if (automaticTax) refuseWithoutTax(call.account)
    const customer = given.customer ?? null
    const session = openCheckout(call.account, {
      customer,
      customerEmail: given.customer_email ?? null,
      clientReferenceId: given.client_reference_id ?? null,
      successUrl: given.success_url,
      cancelUrl: given.cancel_url ?? null,
      lines: given.line_items.map(({ price, quantity }) => ({ price, quantity: quantity ?? null })),
      metadata: mergedMetadata({}, given.metadata),
      plan: {
        trialDays: plan?.trial_period_days ?? null,
        metadata: mergedMetadata({}, plan?.metadata ?? {}),
        automaticTax,
        discount: null,
      },
      allowsCodes: given.allow_promotion_codes === true,
      expiresAt: expiryOf(call, given.expires_at),
      paymentMethodCollection: given.payment_method_collection,
    })
    return session
  },
  'GET /v1/checkout/sessions': ({ account, input }) => {
    const given = readInput(SessionList, input)
    const meant = [...account.checkoutSessions.values()].filter(
      (session) =>
        (given.customer === undefined || given.customer === session.customer) &&
        (given.subscription === undefined || given.subscription === session.subscription) &&
        (given.status === undefined || given.status === session.status),
    )
    return pageOf(meant, given, '/v1/checkout/sessions')
  },
  'GET /v1/checkout/sessions/:id': sessionOf,
  'POST /v1/checkout/sessions/:id/expire': (call) => {
    const session = sessionOf(call)
    expireSession(call.account, session)
    return session
  },
  'POST /v1/billing_portal/sessions': ({ account, input }) => {
    const given = readInput(NewPortalSession, input)
    return openPortal(account, { customer: given.customer, returnUrl: given.return_url ?? null })
  },
}

function sessionOf(call: ApiCall): CheckoutSession {
  return found(call.account.checkoutSessions, 'checkout.session', pathId(call), 'session')
}

/** Half an hour to a day, with a minute's tolerance. */
const isAllowed = (wait: number) => wait >= HOUR / 2 - 60 && wait <= DAY + 60

/** A time valid by the caller's clock is also valid by this clock, however far it was moved. */
function expiryOf({ account: { clock } }: ApiCall, given: number | undefined): number {
  const now = clock.now()
  if (given === undefined) return now + DAY
  const wait = [given - now, given - clock.callersNow()].find(isAllowed)
  if (wait !== undefined) return now + wait
  const message =
    'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.'
  throw invalid(message, { param: 'expires_at' })
}
