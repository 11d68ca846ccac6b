import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { AppError } from '../kernel/errors.ts'
import type { Billing } from './billing.ts'
import { BillingState, Checkout, HostedPage, Invoice } from './schemas.ts'

export interface BillingServices {
  billing: Pick<Billing, 'subscriptions' | 'readRoom' | 'readCheckoutTerms' | 'payments'>
}

const WEBHOOK_BYTES_MAX = 512 * 1024

const shared = {
  tag: 'Billing',
  access: { surface: 'console', role: 'admin', action: 'admin' },
} as const

const notConfigured = 'Returns 503 `not_configured` if the deployment has no payment processor.'

export const billingRoutes = [
  defineRoute<BillingServices>()({
    ...shared,
    operationId: 'consoleGetBilling',
    method: 'GET',
    path: '/v1/console/billing',
    summary: 'Show the plan and the credits of the current period',
    audit: 'none',
    refuses: ['subscription_required'],
    responses: { 200: BillingState },
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
    description: `The newest twelve invoices, read from the payment processor; none before the first checkout. ${notConfigured}`,
    audit: 'none',
    refuses: ['not_configured', 'upstream_error'],
    responses: { 200: z.object({ invoices: z.array(Invoice).describe('Invoices, newest first.') }) },
    handle: async ({ caller }, { billing }) =>
      reply(200, { invoices: await paymentsOf(billing).listInvoices(caller.organizationId) }),
  }),
  defineRoute<BillingServices>()({
    ...shared,
    operationId: 'consoleStartCheckout',
    method: 'POST',
    path: '/v1/console/billing/checkout',
    summary: "Start the payment processor's checkout for a plan",
    description: `The first plan of a workspace begins with a free trial of 7 days, which requires a card; later plans have no trial. If the workspace already has a subscription, returns the address of the portal. ${notConfigured}`,
    audit: 'billing.checkout.create',
    body: Checkout,
    refuses: ['not_configured', 'plan_by_contract', 'upstream_error', 'overloaded'],
    responses: { 200: HostedPage },
    handle: async ({ caller, body }, { billing }) =>
      reply(200, await paymentsOf(billing).checkout(caller, body)),
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
    handle: async ({ caller }, { billing }) => reply(200, await paymentsOf(billing).portal(caller)),
  }),
  defineRoute<BillingServices>()({
    operationId: 'receiveStripeEvent',
    method: 'POST',
    path: '/v1/webhooks/stripe',
    summary: 'Receive an event from the payment processor',
    description:
      "Stripe calls this route with a signature of the body, at most five minutes old. The service then reads the change from Stripe's API.",
    tag: 'Billing',
    access: { surface: 'public' },
    audit: 'none',
    bodyBytesMax: WEBHOOK_BYTES_MAX,
    refuses: ['not_configured', 'webhook_signature_invalid', 'malformed_json'],
    responses: {
      200: z.object({
        received: z.literal(true).meta({ description: 'The event was accepted.', example: true }),
      }),
    },
    handle: async ({ rawBody, headers }, { billing }) => {
      const [signature] = [headers['stripe-signature']].flat()
      await paymentsOf(billing).receiveWebhook({ rawBody, signature })
      return reply(200, { received: true as const })
    },
  }),
]

/** @throws AppError `not_configured` */
function paymentsOf({ payments }: BillingServices['billing']): NonNullable<Billing['payments']> {
  if (payments) return payments
  throw new AppError(
    'not_configured',
    'This deployment has no payment processor (STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET); its operator sets the plan',
  )
}
