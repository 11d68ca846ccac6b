import { useQuery } from '@tanstack/react-query'
import { unwrap } from '../api/client.ts'
import { useWorkspace } from '../session/workspace.tsx'

/** Counts of the stored items. */
export function useOverview() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'overview'],
    queryFn: ({ signal }) => unwrap(api.GET('/v1/console/overview', { signal })),
  })
}
