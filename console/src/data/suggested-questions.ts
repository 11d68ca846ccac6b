import { useQueries } from '@tanstack/react-query'
import { unwrap } from '../api/client.ts'
import { useWorkspace } from '../session/workspace.tsx'
import { suggestQuestions } from './suggest-questions.ts'
import { useRead } from './use-api.ts'
import { useOverview } from './use-overview.ts'

/** The items to read of a source, and how many sources: those with the most items. */
const ITEMS = 20
const SOURCES = 4
const NAMES = 12

/** Questions that the stored items can answer, from recent changes and frequent names. Null while they load. */
export function useSuggestedQuestions(): readonly string[] | null {
  const { api, organization } = useWorkspace()
  const overview = useOverview()
  const sources = (overview.data?.sources ?? [])
    .filter(({ items }) => items > 0)
    .toSorted((one, other) => other.items - one.items)
    .slice(0, SOURCES)
  const lists = useQueries({
    queries: sources.map(({ id }) => ({
      queryKey: [organization.id, 'source-items', 'suggested', id],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { connectorId: id, limit: ITEMS }
        return (await unwrap(api.GET('/v1/console/source-items', { params: { query }, signal }))).sourceItems
      },
    })),
  })
  const names = useNames()
  if (overview.isPending || names.isPending || lists.some(({ isPending }) => isPending)) return null
  const items = lists
    .flatMap(({ data }) => data ?? [])
    .toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt))
  return suggestQuestions(items, names.data ?? [], organization.name)
}

function useNames() {
  return useRead(['memory-canvas', 'suggested'], async (api, signal) => {
    const query = { limit: NAMES }
    return (await unwrap(api.GET('/v1/console/memory-canvas', { params: { query }, signal }))).nodes
  })
}
