import { useQuery } from '@tanstack/react-query'
import { unwrap } from '../api/client.ts'
import { useWorkspace } from '../session/workspace.tsx'
import { suggestQuestions } from './suggest-questions.ts'

const ITEMS = 50
const NAMES = 12

/** Questions that the stored items can answer, from recent changes and frequent names. Null while they load. */
export function useSuggestedQuestions(): readonly string[] | null {
  const { api, organization } = useWorkspace()
  const items = useQuery({
    queryKey: [organization.id, 'source-items', 'suggested'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/v1/console/source-items', { params: { query: { limit: ITEMS } }, signal })))
        .sourceItems,
  })
  const names = useQuery({
    queryKey: [organization.id, 'memory-canvas', 'suggested'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/v1/console/memory-canvas', { params: { query: { limit: NAMES } }, signal })))
        .nodes,
  })
  if (items.isPending || names.isPending) return null
  return suggestQuestions(items.data ?? [], names.data ?? [], organization.name)
}
