import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { ME } from '../../session/user-api.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export type Member = Schemas['Member']
export type Invitation = Schemas['Invitation']
export type CreatedInvitation = { invitation: Invitation; url: string; isMailed: boolean | null }
export type Role = Member['role']

export function useMembers() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'members'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/members', { signal }))).members,
  })
}

/** Invitations that nobody has accepted yet. Admins only. */
export function useInvitations() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'invitations'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/invitations', { signal }))).invitations,
  })
}

/** Creates an invitation. Only this response contains its link. */
export function useInvite() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { role: Role; email?: string }) =>
      unwrap(api.POST('/v1/console/invitations', { body })),
    onSuccess: refresh,
  })
}

/** Revokes an open invitation. Its link stops working. */
export function useRevokeInvitation() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/v1/console/invitations/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useChangeRole() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ id, role }: Pick<Member, 'id' | 'role'>) =>
      unwrap(api.PATCH('/v1/console/members/{id}', { params: { path: { id } }, body: { role } })),
    onSuccess: refresh,
  })
}

export function useRemoveMember() {
  const { api } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/v1/console/members/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useRename() {
  const { api, organization } = useWorkspace()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (name: string) =>
      unwrap(
        api.PATCH('/v1/console/organizations/{id}', {
          params: { path: { id: organization.id } },
          body: { name },
        }),
      ),
    onSuccess: refresh,
  })
}

/** Also refetches the current user, whose own role may have changed. */
function useRefresh(): () => Promise<unknown> {
  const queries = useQueryClient()
  const refetch = useRefetch()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ME }),
      refetch('members', 'invitations', 'audit-events'),
    ])
}
