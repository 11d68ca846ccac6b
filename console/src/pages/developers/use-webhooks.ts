import { useMutation, useQuery } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { usePages } from '../../ui/use-pages.ts'

export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['WebhookDelivery']
export type EventType = NonNullable<Schemas['NewWebhook']['eventTypes']>[number]

const SHOWN_AT_ONCE = 50
/** Poll interval while a delivery is pending: short enough to see a test arrive. */
const WATCHED_MS = 2_000

/** Admins only. */
export function useWebhooks() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'webhooks'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/webhooks', { signal }))).webhooks,
  })
}

/** The webhook's deliveries, newest first. */
export function useDeliveries(webhookId: string, status: Delivery['status'] | null) {
  const { api, organization } = useWorkspace()
  return usePages<Delivery>({
    queryKey: [organization.id, 'webhook-deliveries', webhookId, status],
    async read(cursor, signal) {
      const query = {
        limit: SHOWN_AT_ONCE,
        ...(status === null ? {} : { status }),
        ...(cursor === undefined ? {} : { cursor }),
      }
      const path = { id: webhookId }
      const page = await unwrap(
        api.GET('/v1/console/webhooks/{id}/deliveries', { params: { path, query }, signal }),
      )
      return { rows: page.deliveries, nextCursor: page.nextCursor ?? null }
    },
    refetchInterval: (rows) => (rows.some(isOnItsWay) ? WATCHED_MS : false),
  })
}

/** Whether the first attempt is pending. Retries are not polled, because they are hours apart. */
function isOnItsWay({ status, attempts }: Delivery): boolean {
  return status === 'pending' && attempts === 0
}

/** Creates a webhook (`id: null`) or updates one. Only creation returns a secret. */
export function useSaveWebhook() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    async mutationFn({ id, body }: { id: string | null; body: Schemas['NewWebhook'] }) {
      if (id === null) return await unwrap(api.POST('/v1/console/webhooks', { body }))
      const params = { path: { id } }
      const { webhook } = await unwrap(api.PATCH('/v1/console/webhooks/{id}', { params, body }))
      return { webhook, secret: null }
    },
    onSuccess: refresh,
  })
}

/** Pauses or resumes a webhook. */
export function useSwitchWebhook() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ id, status }: Pick<Webhook, 'id' | 'status'>) =>
      unwrap(api.PATCH('/v1/console/webhooks/{id}', { params: { path: { id } }, body: { status } })),
    onSuccess: refresh,
  })
}

/** Rotates the secret. The service also signs with the old one for another day. */
export function useRotateWebhook() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.POST('/v1/console/webhooks/{id}/rotate', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useDeleteWebhook() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/v1/console/webhooks/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

/** Sends a `webhook.test` event. */
export function useTestWebhook() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.POST('/v1/console/webhooks/{id}/test', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

/** Resends an event, delivered or not. */
export function useReplay() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.POST('/v1/console/webhooks/deliveries/{id}/replay', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

function useRefresh(): () => Promise<void> {
  const refetch = useRefetch()
  return () => refetch('webhooks', 'webhook-deliveries', 'audit-events')
}
