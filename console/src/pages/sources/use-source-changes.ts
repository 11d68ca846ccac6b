import { useMutation, useQueryClient } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import type { paths } from '../../api/schema.d.ts'
import { useChange } from '../../data/use-api.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import type { ProviderId } from '../../api/provider-list.ts'
import type { Source } from './source-words.ts'
import { useRefreshStored } from './use-sources.ts'

type Change = paths['/v1/console/sources/{id}']['patch']['requestBody']['content']['application/json']

/** Changes a source. Updates the list immediately and rolls back on failure. */
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

/** Deletes a source and its items. Calls `onRemoved` before the cache refreshes. */
export function useRemoveSource(id: string, onRemoved: () => void) {
  const refresh = useRefreshStored()
  const refetch = useRefetch()
  return useChange(
    (api) => unwrap(api.DELETE('/v1/console/sources/{id}', { params: { path: { id } } })),
    async () => {
      onRemoved()
      await refresh()
      await refetch('sync-runs')
    },
  )
}

/** Creates a push-only source, for files and pushed documents. */
export function useCreateSource() {
  return useChange(
    async (api, body: { provider: ProviderId; displayName: string }) =>
      (await unwrap(api.POST('/v1/console/sources', { body }))).source,
    useRefreshStored(),
  )
}
