import { useMutation, useQuery } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { type Role, useRefreshMembers } from './use-members.ts'

export type Invitation = Schemas['Invitation']
export type CreatedInvitation = { invitation: Invitation; url: string; isMailed: boolean | null }

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
  const refresh = useRefreshMembers()
  return useMutation({
    mutationFn: (body: { role: Role; email?: string }) =>
      unwrap(api.POST('/v1/console/invitations', { body })),
    onSuccess: refresh,
  })
}

/** Revokes an open invitation. Its link stops working. */
export function useRevokeInvitation() {
  const { api } = useWorkspace()
  const refresh = useRefreshMembers()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/v1/console/invitations/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}
