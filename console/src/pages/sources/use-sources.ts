import { useQuery } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../app/workspace.tsx'

/** The workspace's sources. Of admins: members may not ask for them. */
export function useSources() {
  const { api, organization, isAdmin } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'sources'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/sources', { signal }))).sources,
    enabled: isAdmin,
  })
}
