import { useMutation, useQueryClient } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import type { ProviderId } from '../../api/provider-list.ts'
import type { Source } from './source-words.ts'
import { useRefreshStored } from './use-sources.ts'

type Change = Partial<Pick<Source, 'displayName' | 'channelAllowlist'> & { status: 'active' | 'disabled' }>

/** Renames, pauses or resumes a source, or sets its channels; shown at once, and taken back when it is refused. */
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

/** Asks for a run of a source, of full sync where `fullResync`; one that is active already serves as well. */
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

/** Removes a source with what it brought; `onRemoved` comes before the pages learn that it is gone. */
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

/** Makes a source that takes files and pushed documents only. */
export function useCreateSource() {
  const { api } = useWorkspace()
  const refresh = useRefreshStored()
  return useMutation<Source, ApiError, { provider: ProviderId; displayName: string }>({
    mutationFn: async (body) => (await unwrap(api.POST('/v1/console/sources', { body }))).source,
    onSuccess: refresh,
  })
}

/** Leads to the provider's page where an account is connected, for the first time or again; allows it first if asked. */
export function useConnect(provider: ProviderId, { allowFirst = false } = {}) {
  const { api } = useWorkspace()
  return useMutation({
    mutationFn: async () => {
      const params = { path: { provider } }
      if (allowFirst) await unwrap(api.POST('/v1/console/connector-access/{provider}/grant', { params }))
      const { url } = await unwrap(api.POST('/v1/console/connectors/{provider}/authorize', { params }))
      globalThis.location.assign(url)
    },
  })
}

/** Connects an account by what is entered in the provider's form; answers the id of its source. */
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

/** Asks the operator for a provider that needs their leave. */
export function useAskForAccess(provider: ProviderId) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () =>
      (await unwrap(api.POST('/v1/console/connector-access', { body: { provider } }))).request,
    onSettled: () => queries.invalidateQueries({ queryKey: [organization.id, 'connectors'] }),
  })
}
