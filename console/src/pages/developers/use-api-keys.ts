import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useRead } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The workspace's live keys, newest first. Admins only. */
export function useApiKeys() {
  return useKeyList(({ apiKeys }) => apiKeys)
}

/** The rate limit per key and action, in requests per minute; null if the service sends none. */
export function useRequestsPerMinute(): number | null {
  return useKeyList(({ requestsPerMinute }) => requestsPerMinute).data ?? null
}

interface KeyList {
  apiKeys: Schemas['ApiKey'][]
  requestsPerMinute: number | null
}

function useKeyList<T>(select: (list: KeyList) => T) {
  const { isAdmin } = useWorkspace()
  return useRead(
    ['api-keys'],
    async (api, signal): Promise<KeyList> => {
      const call = api.GET('/v1/console/api-keys', { signal })
      const { apiKeys } = await unwrap(call)
      const limit = Number((await call).response.headers.get('x-ratelimit-limit'))
      return { apiKeys, requestsPerMinute: limit > 0 ? limit : null }
    },
    { select, enabled: isAdmin },
  )
}

/** Billing counts agents, and the audit trail lists each key that is created or revoked. */
const CHANGED = ['api-keys', 'billing', 'audit-events']

/** Creates a key. Only this response contains its secret. */
export function useMintKey() {
  return useChange(
    (api, body: Schemas['NewApiKey']) => unwrap(api.POST('/v1/console/api-keys', { body })),
    CHANGED,
  )
}

/** Revokes a key. The service refuses its next request. */
export function useRevokeKey() {
  return useChange(
    (api, id: string) => unwrap(api.DELETE('/v1/console/api-keys/{id}', { params: { path: { id } } })),
    CHANGED,
  )
}
