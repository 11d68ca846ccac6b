import { useQuery } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The events about a key: its creation and its revocation, newest first. */
export function useKeyEvents(id: string) {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'audit-events', 'of-key', id],
    queryFn: async ({ signal }) => {
      const query = { target: id }
      return (await unwrap(api.GET('/v1/console/audit-events', { params: { query }, signal }))).auditEvents
    },
  })
}
