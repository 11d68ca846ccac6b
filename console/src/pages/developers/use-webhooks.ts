import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useRead, useReadPages } from '../../data/use-api.ts'

export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['WebhookDelivery']
export type EventType = NonNullable<Schemas['NewWebhook']['eventTypes']>[number]

const SHOWN_AT_ONCE = 50
/** Poll interval while a delivery is pending: short enough to see a test arrive. */
const WATCHED_MS = 2_000

const CHANGED = ['webhooks', 'webhook-deliveries', 'audit-events']

/** Admins only. */
export function useWebhooks() {
  return useRead(
    ['webhooks'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/webhooks', { signal }))).webhooks,
  )
}

/** The webhook's deliveries, newest first. */
export function useDeliveries(webhookId: string, status: Delivery['status'] | null) {
  return useReadPages<Delivery>(
    ['webhook-deliveries', webhookId, status],
    async (api, given, signal) => {
      const query = { limit: SHOWN_AT_ONCE, ...(status === null ? {} : { status }), ...given }
      const params = { path: { id: webhookId }, query }
      const page = await unwrap(api.GET('/v1/console/webhooks/{id}/deliveries', { params, signal }))
      return { rows: page.deliveries, nextCursor: page.nextCursor ?? null }
    },
    (rows) => (rows.some(isOnItsWay) ? WATCHED_MS : false),
  )
}

/** Whether the first attempt is pending. Retries are not polled, because they are hours apart. */
function isOnItsWay({ status, attempts }: Delivery): boolean {
  return status === 'pending' && attempts === 0
}

/** Creates a webhook (`id: null`) or updates one. Only creation returns a secret. */
export function useSaveWebhook() {
  return useChange(async (api, { id, body }: { id: string | null; body: Schemas['NewWebhook'] }) => {
    if (id === null) return await unwrap(api.POST('/v1/console/webhooks', { body }))
    const params = { path: { id } }
    const { webhook } = await unwrap(api.PATCH('/v1/console/webhooks/{id}', { params, body }))
    return { webhook, secret: null }
  }, CHANGED)
}

/** Pauses or resumes a webhook. */
export function useSwitchWebhook() {
  return useChange(
    (api, { id, status }: Pick<Webhook, 'id' | 'status'>) =>
      unwrap(api.PATCH('/v1/console/webhooks/{id}', { params: { path: { id } }, body: { status } })),
    CHANGED,
  )
}

/** Rotates the secret. The service also signs with the old one for another day. */
export function useRotateWebhook() {
  return useChange(
    (api, id: string) => unwrap(api.POST('/v1/console/webhooks/{id}/rotate', { params: { path: { id } } })),
    CHANGED,
  )
}

export function useDeleteWebhook() {
  return useChange(
    (api, id: string) => unwrap(api.DELETE('/v1/console/webhooks/{id}', { params: { path: { id } } })),
    CHANGED,
  )
}

/** Sends a `webhook.test` event. */
export function useTestWebhook() {
  return useChange(
    (api, id: string) => unwrap(api.POST('/v1/console/webhooks/{id}/test', { params: { path: { id } } })),
    CHANGED,
  )
}

/** Resends an event, delivered or not. */
export function useReplay() {
  return useChange((api, id: string) => {
    const params = { path: { id } }
    return unwrap(api.POST('/v1/console/webhooks/deliveries/{id}/replay', { params }))
  }, CHANGED)
}
