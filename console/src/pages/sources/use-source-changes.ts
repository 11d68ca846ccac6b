import { useMutation, useQueryClient } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { hasChannels, type ProviderId } from '../../api/provider-list.ts'
import type { Source } from './source-words.ts'
import { useRefreshStored } from './use-sources.ts'

type Change = Partial<Pick<Source, 'displayName' | 'channelAllowlist'> & { status: 'active' | 'disabled' }>

/** Renames, pauses or resumes a source, or sets its channels. Updates the list at once and rolls back on failure. */
export function useChangeSource(id: string) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  const queryKey = [organization.id, 'sources']
  return useMutation<Source, ApiError, Change, { before: readonly Source[] | undefined }>({
    mutationFn: async (body) =>
      (await unwrap(api.PATCH('/v1/console/sources/{id}', { params: { path: { id } }, body }))).source,
    onMutate: async (change) => {
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData<readonly Source[]>(queryKey)
      queries.setQueryData<readonly Source[]>(queryKey, (sources) =>
        sources?.map((source) => (source.id === id ? { ...source, ...change } : source)),
      )
      return { before }
    },
    onError: (_error, _change, made) => queries.setQueryData(queryKey, made?.before),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}

/** Starts a run of a source, or a full sync with `fullResync`. A run that is already active also counts. */
export function useStartRun(connectorId: string) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  return useMutation<void, ApiError, { fullResync: boolean }>({
    mutationFn: async ({ fullResync }) => {
      await unwrap(api.POST('/v1/console/sync-runs', { body: { connectorId, fullResync } }))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [organization.id, 'sync-runs'] }),
  })
}

/** Deletes a source and its items. Calls `onRemoved` before the cache refreshes. */
export function useRemoveSource(id: string, onRemoved: () => void) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  const refresh = useRefreshStored()
  return useMutation({
    mutationFn: async () => {
      await unwrap(api.DELETE('/v1/console/sources/{id}', { params: { path: { id } } }))
    },
    onSuccess: async () => {
      onRemoved()
      await refresh()
      await queries.invalidateQueries({ queryKey: [organization.id, 'sync-runs'] })
    },
  })
}

/** Creates a push-only source, for files and pushed documents. */
export function useCreateSource() {
  const { api } = useWorkspace()
  const refresh = useRefreshStored()
  return useMutation<Source, ApiError, { provider: ProviderId; displayName: string }>({
    mutationFn: async (body) => (await unwrap(api.POST('/v1/console/sources', { body }))).source,
    onSuccess: refresh,
  })
}

/** Redirects to the provider to connect or reconnect an account. `allowFirst`: grants access to the provider first. */
export function useConnect(provider: ProviderId, { allowFirst = false } = {}) {
  const { api } = useWorkspace()
  return useMutation({
    mutationFn: async () => {
      const params = { path: { provider } }
      if (allowFirst) await unwrap(api.POST('/v1/console/connector-access/{provider}/grant', { params }))
      const query = { firstSync: hasChannels(provider) ? ('after_choice' as const) : ('now' as const) }
      const { url } = await unwrap(
        api.POST('/v1/console/connectors/{provider}/authorize', { params: { ...params, query } }),
      )
      globalThis.location.assign(url)
    },
  })
}

/** Connects an account with the values of the provider's form. Returns the source's ID. */
export function useConnectByForm(provider: ProviderId, { allowFirst = false } = {}) {
  const { api } = useWorkspace()
  const refresh = useRefreshStored()
  return useMutation<string, ApiError, Readonly<Record<string, string>>>({
    mutationFn: async (fields) => {
      const params = { path: { provider } }
      if (allowFirst) await unwrap(api.POST('/v1/console/connector-access/{provider}/grant', { params }))
      const body = { fields: { ...fields } }
      return (await unwrap(api.POST('/v1/console/connectors/{provider}/connect', { params, body })))
        .connectorId
    },
    onSuccess: refresh,
  })
}

/** Requests access to a provider that the operator has to approve. */
export function useAskForAccess(provider: ProviderId) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () =>
      (await unwrap(api.POST('/v1/console/connector-access', { body: { provider } }))).request,
    onSettled: () => queries.invalidateQueries({ queryKey: [organization.id, 'connectors'] }),
  })
}
