import { useMutation, useQuery } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useRefetch } from '../../data/use-refetch.ts'
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
  const { api, organization, isAdmin } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'api-keys'],
    async queryFn({ signal }): Promise<KeyList> {
      const call = api.GET('/v1/console/api-keys', { signal })
      const { apiKeys } = await unwrap(call)
      const limit = Number((await call).response.headers.get('x-ratelimit-limit'))
      return { apiKeys, requestsPerMinute: limit > 0 ? limit : null }
    },
    select,
    enabled: isAdmin,
  })
}

/** Creates a key. Only this response contains its secret. */
export function useMintKey() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: Schemas['NewApiKey']) => unwrap(api.POST('/v1/console/api-keys', { body })),
    onSuccess: refresh,
  })
}

/** Revokes a key. The service refuses its next request. */
export function useRevokeKey() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/v1/console/api-keys/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

/** Billing counts agents, and the audit trail lists each key that is created or revoked. */
function useRefresh(): () => Promise<void> {
  const refetch = useRefetch()
  return () => refetch('api-keys', 'billing', 'audit-events')
}
