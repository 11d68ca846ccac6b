import { useQuery } from '@tanstack/react-query'
import { unwrap } from '../api/client.ts'
import { useWorkspace } from '../session/workspace.tsx'

/** A stored item with its text; costs no credit. Sends no request without an ID. */
export function useSourceItem(id: string | undefined) {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'source-items', id],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/v1/console/source-items/{id}', { params: { path: { id: id ?? '' } }, signal })))
        .sourceItem,
    enabled: id !== undefined,
  })
}
