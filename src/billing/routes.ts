import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { AppError } from '../kernel/errors.ts'
import { count, moment, momentOrNull, text, textOrNull } from '../kernel/schemas.ts'
import type { Billing } from './billing.ts'
import { INVOICE_STATUSES } from './payment-processor.ts'
import { INTERVALS, SOLD_TIERS, SUBSCRIPTION_STATUSES, TIERS } from './plans/plans.ts'

export interface BillingServices {
  billing: Pick<Billing, 'subscriptions' | 'readRoom' | 'readCheckoutTerms' | 'payments'>
}

const countOrNull = (description: string, example: number) =>
  z.int().min(0).nullable().meta({ description, example })

/** Subscription fields that all surfaces share. */
export const subscriptionFields = {
  creditsUsed: count('Credits taken in the current period, those of requests in flight included.', 1200),
  creditsIncluded: countOrNull('Credits of a period; null: unlimited.', 5000),
  creditsRemaining: countOrNull('Credits left; 0 over the cap of a metered tier, null: unlimited.', 3800),
  agentsIncluded: countOrNull(
    'Live keys with search, context or ask that the plan has room for; null: any number.',
    2,
  ),
  connectorsIncluded: countOrNull('Connectors that the plan has room for; null: any number.', 2),
  tier: z.enum(TIERS).nullable().describe('The plan; null: none was chosen.'),
  status: z.enum(SUBSCRIPTION_STATUSES).meta({
    description: 'Where the subscription stands: `trialing`, `active`, `past_due` and `internal` retrieve.',
    example: 'active',
  }),
  periodStart: moment('When the current period began.', '2026-03-01T00:00:00.000Z'),
  periodEnd: moment('When it ends and the next credits begin.', '2026-04-01T00:00:00.000Z'),
  interval: z
    .enum(INTERVALS)
    .nullable()
    .meta({ description: 'How often the plan is paid; null: it was not bought.', example: 'monthly' }),
  trialEndsAt: momentOrNull('When the trial ends; null: none runs.', null),
  cancelAtPeriodEnd: z
    .boolean()
    .meta({ description: 'Whether the plan ends with the current period.', example: false }),
  plannedChange: z
    .object({
      at: moment('When.', '2026-04-01T00:00:00.000Z'),
      tier: z
        .enum(TIERS)
        .nullable()
        .meta({ description: 'The plan then; null: it ends.', example: 'builder' }),
      interval: z
        .enum(INTERVALS)
        .nullable()
        .meta({ description: 'How often it is paid then; null: it ends.', example: 'monthly' }),
    })
    .nullable()
    .meta({
      description: 'A planned change, such as a downgrade or a cancellation; null: none.',
      example: null,
    }),
  overageAnswers: count('Answers of the current period over its credits.', 0),
  overageCostUsd: z
    .string()
    .regex(/^\d+\.\d{2,6}$/)
    .meta({ description: 'What those cost so far, in US dollars; nothing in a trial.', example: '0.00' }),
  paymentMethodMissing: z.boolean().meta({
    description: 'Whether there is nothing that the next payment could be taken from.',
    example: false,
  }),
}

const Billing = z
  .object({
    ...subscriptionFields,
    agentsUsed: count('Live keys that hold search, context or ask.', 1),
    connectorsUsed: count('Sources with an account at a provider. Push-only sources are not connectors.', 2),
    trialDays: count(
      'Days of free trial that the next checkout begins with. A workspace has one trial; 0: it has had it.',
      7,
    ),
    cardRequired: z
      .boolean()
      .meta({ description: 'Whether checkout asks for a card, in a trial too.', example: true }),
  })
  .meta({ id: 'Billing', description: 'The plan, its current period, and what of it is used.' })

const Checkout = z
  .strictObject({
    tier: z.enum(SOLD_TIERS).describe('The plan to buy.'),
    interval: z.enum(INTERVALS).describe('How often it is paid.'),
  })
  .meta({ id: 'Checkout', description: 'What to buy.' })

const HostedPage = z
  .object({
    url: z.url().meta({
      description: 'The page to send the browser to.',
      example: 'https://pay.example.com/session/1',
    }),
  })
  .meta({ id: 'HostedPage', description: 'A page of the payment processor.' })

const Invoice = z
  .object({
    id: text('Its ID at the payment processor.', 'in_1'),
    number: textOrNull('Its number; null: not final yet.', 'ACME-0001'),
    createdAt: moment('When it was made.'),
    status: z.enum(INVOICE_STATUSES).meta({ description: 'Its status.', example: 'paid' }),
    total: z.int().meta({ description: "In the currency's smallest unit.", example: 9900 }),
    currency: text('Its currency, ISO 4217.', 'usd'),
    url: textOrNull(
      'Its page at the payment processor; null: none yet.',
      'https://pay.example.com/invoice/1',
    ),
  })
  .meta({ id: 'Invoice', description: 'An invoice of the workspace.' })

const WEBHOOK_BYTES_MAX = 512 * 1024

const shared = {
  tag: 'Billing',
  access: { surface: 'console', role: 'admin', action: 'admin' },
  credits: 0,
} as const

const notConfigured = 'Answers 503 `not_configured` where the deployment has no payment processor.'

export const billingRoutes = [
  defineRoute<BillingServices>()({
    ...shared,
    operationId: 'consoleGetBilling',
    method: 'GET',
    path: '/v1/console/billing',
    summary: 'Show the plan and the credits of the current period',
    audit: 'none',
    refuses: ['subscription_required'],
    responses: { 200: Billing },
    handle: async ({ caller }, { billing }) => {
      const subscription = await billing.subscriptions.read(caller.organizationId)
      if (!subscription) throw new AppError('subscription_required', 'This workspace has no subscription')
      const room = await billing.readRoom(caller.organizationId)
      const terms = await billing.readCheckoutTerms(caller.organizationId)
      return reply(200, { ...subscription, ...room, ...terms })
    },
  }),
  defineRoute<BillingServices>()({
    ...shared,
    operationId: 'consoleListInvoices',
    method: 'GET',
    path: '/v1/console/billing/invoices',
    summary: 'List the newest invoices',
    description: `Read from the payment processor: the newest twelve, none before the first checkout. ${notConfigured}`,
    audit: 'none',
    refuses: ['not_configured', 'upstream_error'],
    responses: { 200: z.object({ invoices: z.array(Invoice).describe('Invoices, newest first.') }) },
    handle: async ({ caller }, { billing }) => {
      if (!billing.payments) throw noProcessor()
      const invoices = await billing.payments.listInvoices(caller.organizationId)
      return reply(200, { invoices })
    },
  }),
  defineRoute<BillingServices>()({
    ...shared,
    operationId: 'consoleStartCheckout',
    method: 'POST',
    path: '/v1/console/billing/checkout',
    summary: "Start the payment processor's checkout for a plan",
    description: `The first plan of a workspace begins with 7 days of free trial, for which a card is needed; later ones have no trial. With an existing subscription, it returns the address of the portal. ${notConfigured}`,
    audit: 'billing.checkout.create',
    body: Checkout,
    refuses: ['not_configured', 'plan_by_contract', 'upstream_error', 'overloaded'],
    responses: { 200: HostedPage },
    handle: async ({ caller, body }, { billing }) => {
      if (!billing.payments) throw noProcessor()
      return reply(200, await billing.payments.checkout(caller, body))
    },
  }),
  defineRoute<BillingServices>()({
    ...shared,
    operationId: 'consoleOpenBillingPortal',
    method: 'POST',
    path: '/v1/console/billing/portal',
    summary: "Open the payment processor's portal",
    description: notConfigured,
    audit: 'billing.portal.create',
    refuses: ['not_configured', 'plan_by_contract', 'upstream_error', 'overloaded'],
    responses: { 200: HostedPage },
    handle: async ({ caller }, { billing }) => {
      if (!billing.payments) throw noProcessor()
      return reply(200, await billing.payments.portal(caller))
    },
  }),
  defineRoute<BillingServices>()({
    operationId: 'receiveStripeEvent',
    method: 'POST',
    path: '/v1/webhooks/stripe',
    summary: 'Take an event of the payment processor',
    description:
      "Called by Stripe, with its signature of the last five minutes over the body. What changed is read from Stripe's API.",
    tag: 'Billing',
    access: { surface: 'public' },
    credits: 0,
    audit: 'none',
    bodyBytesMax: WEBHOOK_BYTES_MAX,
    refuses: ['not_configured', 'webhook_signature_invalid', 'malformed_json'],
    responses: {
      200: z.object({ received: z.literal(true).meta({ description: 'It is taken.', example: true }) }),
    },
    handle: async ({ rawBody, headers }, { billing }) => {
      if (!billing.payments) throw noProcessor()
      const signature = headers['stripe-signature']
      await billing.payments.receiveWebhook({
        rawBody,
        signature: Array.isArray(signature) ? signature[0] : signature,
      })
      return reply(200, { received: true as const })
    },
  }),
]

function noProcessor(): AppError {
  return new AppError(
    'not_configured',
    'This deployment has no payment processor (STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET); its operator sets the plan',
  )
}
