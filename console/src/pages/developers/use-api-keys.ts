import { useQuery } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../app/workspace.tsx'

/** The workspace's live keys, newest first. Of admins. */
export function useApiKeys() {
  const { api, organization, isAdmin } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'api-keys'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/api-keys', { signal }))).apiKeys,
    enabled: isAdmin,
  })
}
