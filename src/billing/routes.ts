import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { AppError } from '../kernel/errors.ts'
import { moment } from '../kernel/schemas.ts'
import { SUBSCRIPTION_STATUSES, TIERS } from './plans.ts'
import type { Subscriptions } from './subscriptions.ts'

export interface BillingServices {
  subscriptions: Subscriptions
}

const credits = z.number().int().min(0)

/** Fields of a subscription that every surface shows alike. */
export const subscriptionFields = {
  creditsUsed: credits.meta({
    description: 'Credits taken in the current period, those of requests in flight included.',
    example: 1200,
  }),
  creditsIncluded: credits
    .nullable()
    .meta({ description: 'Credits of a period; null: unlimited.', example: 5000 }),
  creditsRemaining: credits
    .nullable()
    .meta({ description: 'Credits left; 0 over the cap of a metered tier, null: unlimited.', example: 3800 }),
  tier: z.enum(TIERS).nullable().describe('The plan; null: none was chosen.'),
  status: z.enum(SUBSCRIPTION_STATUSES).meta({
    description: 'Where the subscription stands: `trialing`, `active`, `past_due` and `internal` retrieve.',
    example: 'active',
  }),
  periodStart: moment('When the current period began.', '2026-03-01T00:00:00.000Z'),
  periodEnd: moment('When it ends, and credits start anew.', '2026-04-01T00:00:00.000Z'),
}

const Billing = z
  .object(subscriptionFields)
  .meta({ id: 'Billing', description: 'The plan and its current period.' })

const Checkout = z
  .strictObject({
    tier: z.enum(['builder', 'studio', 'scale']).describe('The plan to buy.'),
    interval: z.enum(['monthly', 'annual']).describe('How often it is paid.'),
  })
  .meta({ id: 'Checkout', description: 'A plan to buy.' })

const HostedPage = z
  .object({
    url: z.url().meta({
      description: 'The page to send the browser to.',
      example: 'https://pay.example.com/session/1',
    }),
  })
  .meta({ id: 'HostedPage', description: 'A page of the payment processor.' })

const shared = {
  tag: 'Billing',
  access: { surface: 'console', role: 'admin', action: 'admin' },
  credits: 0,
  audit: 'none',
} as const

export const billingRoutes = [
  defineRoute<BillingServices>()({
    ...shared,
    operationId: 'consoleGetBilling',
    method: 'GET',
    path: '/v1/console/billing',
    summary: 'Show the plan and the credits of the current period',
    refuses: ['subscription_required'],
    responses: { 200: Billing },
    handle: async ({ principal }, { subscriptions }) => {
      const subscription = await subscriptions.read(principal.organizationId)
      if (!subscription) throw new AppError('subscription_required', 'This workspace has no subscription')
      return reply(200, subscription)
    },
  }),
  defineRoute<BillingServices>()({
    ...shared,
    operationId: 'consoleStartCheckout',
    method: 'POST',
    path: '/v1/console/billing/checkout',
    summary: "Start the payment processor's checkout for a plan",
    description: 'Answers 503 `not_configured` where the deployment has no payment processor.',
    body: Checkout,
    refuses: ['not_configured'],
    responses: { 200: HostedPage },
    handle: () => Promise.reject(noProcessor()),
  }),
  defineRoute<BillingServices>()({
    ...shared,
    operationId: 'consoleOpenBillingPortal',
    method: 'POST',
    path: '/v1/console/billing/portal',
    summary: "Open the payment processor's portal",
    refuses: ['not_configured'],
    description: 'Answers 503 `not_configured` where the deployment has no payment processor.',
    responses: { 200: HostedPage },
    handle: () => Promise.reject(noProcessor()),
  }),
]

function noProcessor(): AppError {
  return new AppError(
    'not_configured',
    'This deployment has no payment processor (STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET); its operator sets the plan',
  )
}
