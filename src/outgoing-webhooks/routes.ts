import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { EXAMPLE_ID, idOf, moment, nextCursor, text } from '../kernel/schemas.ts'
import type { Deliveries } from './deliveries.ts'
import type { Webhooks } from './webhooks.ts'
import { Delivery, DeliveryQuery, NewWebhook, Webhook, WebhookChange } from './schemas.ts'
import { DELIVERIES_KEPT_DAYS } from '../kernel/retention.ts'

export interface OutgoingWebhookServices {
  outgoingWebhooks: { webhooks: Webhooks; deliveries: Deliveries }
}

const shared = {
  tag: 'Webhooks (console)',
  access: { surface: 'console', role: 'admin', action: 'admin' },
} as const

const webhookParams = z.object({ id: idOf("The webhook's ID.", EXAMPLE_ID.webhook) })

const WebhookResponse = z.object({ webhook: Webhook })

const SecretResponse = z.object({
  webhook: Webhook,
  secret: text('The signing secret. Store it now: it is shown only once.', 'whsec_…'),
})

const DeliveryResponse = z.object({ delivery: Delivery })

const define = defineRoute<OutgoingWebhookServices>()

export const webhookRoutes = [
  define({
    ...shared,
    operationId: 'consoleListWebhooks',
    method: 'GET',
    path: '/v1/console/webhooks',
    summary: 'List webhooks, newest first',
    description: 'If the service disabled a webhook because nothing could be delivered, `notice` says so.',
    audit: 'none',
    responses: { 200: z.object({ webhooks: z.array(Webhook).describe('The webhooks.') }) },
    handle: async ({ caller }, { outgoingWebhooks: { webhooks } }) =>
      reply(200, { webhooks: await webhooks.list(caller.organizationId) }),
  }),
  define({
    ...shared,
    operationId: 'consoleCreateWebhook',
    method: 'POST',
    path: '/v1/console/webhooks',
    summary: 'Create a webhook',
    description:
      'Events follow Standard Webhooks. Only this response contains the secret. A workspace has at most 20 webhooks.',
    audit: 'webhook.create',
    body: NewWebhook,
    refuses: ['webhook_limit_reached', 'not_configured'],
    responses: { 201: SecretResponse },
    handle: async ({ caller, body }, { outgoingWebhooks: { webhooks } }) =>
      reply(201, await webhooks.create(caller, body)),
  }),
  define({
    ...shared,
    operationId: 'consoleGetWebhook',
    method: 'GET',
    path: '/v1/console/webhooks/{id}',
    summary: 'Show a webhook',
    audit: 'none',
    params: webhookParams,
    responses: { 200: WebhookResponse },
    handle: async ({ caller, params }, { outgoingWebhooks: { webhooks } }) =>
      reply(200, { webhook: await webhooks.get(caller.organizationId, params.id) }),
  }),
  define({
    ...shared,
    operationId: 'consoleUpdateWebhook',
    method: 'PATCH',
    path: '/v1/console/webhooks/{id}',
    summary: 'Change, disable or enable a webhook',
    audit: 'webhook.update',
    params: webhookParams,
    body: WebhookChange,
    responses: { 200: WebhookResponse },
    handle: async ({ caller, params, body }, { outgoingWebhooks: { webhooks } }) =>
      reply(200, { webhook: await webhooks.change(caller, params.id, body) }),
  }),
  define({
    ...shared,
    operationId: 'consoleDeleteWebhook',
    method: 'DELETE',
    path: '/v1/console/webhooks/{id}',
    summary: 'Delete a webhook with its deliveries',
    audit: 'webhook.delete',
    params: webhookParams,
    responses: { 200: z.object({ webhook: Webhook, deletedAt: moment('When it was deleted.') }) },
    handle: async ({ caller, params }, { outgoingWebhooks: { webhooks } }) =>
      reply(200, await webhooks.remove(caller, params.id)),
  }),
  define({
    ...shared,
    operationId: 'consoleRotateWebhookSecret',
    method: 'POST',
    path: '/v1/console/webhooks/{id}/rotate',
    summary: "Rotate a webhook's secret",
    description: 'For 24 hours, events are also signed with the previous secret.',
    audit: 'webhook.rotate',
    params: webhookParams,
    refuses: ['not_configured'],
    responses: { 200: SecretResponse },
    handle: async ({ caller, params }, { outgoingWebhooks: { webhooks } }) =>
      reply(200, await webhooks.rotate(caller, params.id)),
  }),
  define({
    ...shared,
    operationId: 'consoleTestWebhook',
    method: 'POST',
    path: '/v1/console/webhooks/{id}/test',
    summary: 'Send a `webhook.test` event',
    description: 'The event is sent at once in the background. The list of deliveries shows the result.',
    audit: 'webhook.test',
    params: webhookParams,
    refuses: ['webhook_disabled'],
    responses: { 201: DeliveryResponse },
    handle: async ({ caller, params }, { outgoingWebhooks: { deliveries } }) =>
      reply(201, { delivery: await deliveries.test(caller, params.id) }),
  }),
  define({
    ...shared,
    operationId: 'consoleListWebhookDeliveries',
    method: 'GET',
    path: '/v1/console/webhooks/{id}/deliveries',
    summary: "List a webhook's deliveries, newest first",
    description: `Deliveries of the last ${DELIVERIES_KEPT_DAYS} days. Only the status of a response is stored.`,
    audit: 'none',
    params: webhookParams,
    query: DeliveryQuery,
    responses: {
      200: z.object({
        deliveries: z.array(Delivery).describe('The deliveries of this page.'),
        nextCursor,
      }),
    },
    handle: async ({ caller, params, query }, { outgoingWebhooks: { deliveries } }) =>
      reply(200, await deliveries.list(caller.organizationId, params.id, query)),
  }),
  define({
    ...shared,
    operationId: 'consoleReplayWebhookDelivery',
    method: 'POST',
    path: '/v1/console/webhooks/deliveries/{id}/replay',
    summary: 'Send an event again',
    description:
      'The event keeps its `webhook-id` and gets all attempts again, even if it was already delivered.',
    audit: 'webhook.replay',
    params: z.object({ id: idOf("The delivery's ID, from the list.", EXAMPLE_ID.delivery) }),
    refuses: ['webhook_disabled'],
    responses: { 200: DeliveryResponse },
    handle: async ({ caller, params }, { outgoingWebhooks: { deliveries } }) =>
      reply(200, { delivery: await deliveries.replay(caller, params.id) }),
  }),
]
