import { useMutation, useQuery } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export type Group = Schemas['Group']

/** The maximum number of groups on the page. */
export const GROUPS_SHOWN = 200

/** The newest groups, and whether there are more. */
export function useGroups() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'groups'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/console/groups', { params: { query: { limit: GROUPS_SHOWN } }, signal })),
  })
}

export function usePutGroup() {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: ({ id, members }: { id: string; members: string[] }) =>
      unwrap(
        api.PUT('/v1/console/groups/{groupId}', { params: { path: { groupId: id } }, body: { members } }),
      ),
    onSuccess: () => refetch('groups', 'audit-events'),
  })
}

export function useDeleteGroup() {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (groupId: string) =>
      unwrap(api.DELETE('/v1/console/groups/{groupId}', { params: { path: { groupId } } })),
    onSuccess: () => refetch('groups', 'audit-events'),
  })
}
