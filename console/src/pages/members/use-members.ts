import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { ME } from '../../session/user-api.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export type Member = Schemas['Member']
export type Role = Member['role']

export function useMembers() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'members'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/members', { signal }))).members,
  })
}

export function useChangeRole() {
  const { api } = useWorkspace()
  const refresh = useRefreshMembers()
  return useMutation({
    mutationFn: ({ id, role }: Pick<Member, 'id' | 'role'>) =>
      unwrap(api.PATCH('/v1/console/members/{id}', { params: { path: { id } }, body: { role } })),
    onSuccess: refresh,
  })
}

export function useRemoveMember() {
  const { api } = useWorkspace()
  const refresh = useRefreshMembers()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/v1/console/members/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

/** Also refetches the current user, whose own role may have changed. */
export function useRefreshMembers(): () => Promise<unknown> {
  const queries = useQueryClient()
  const refetch = useRefetch()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ME }),
      refetch('members', 'invitations', 'audit-events'),
    ])
}
