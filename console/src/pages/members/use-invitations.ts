import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useRead } from '../../data/use-api.ts'
import { type Role, useRefreshMembers } from './use-members.ts'

export type Invitation = Schemas['Invitation']
export type CreatedInvitation = { invitation: Invitation; url: string; isMailed: boolean | null }

/** Invitations that nobody has accepted yet. Admins only. */
export function useInvitations() {
  return useRead(
    ['invitations'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/invitations', { signal }))).invitations,
  )
}

/** Creates an invitation. Only this response contains its link. */
export function useInvite() {
  return useChange(
    (api, body: { role: Role; email?: string }) => unwrap(api.POST('/v1/console/invitations', { body })),
    useRefreshMembers(),
  )
}

/** Revokes an open invitation. Its link stops working. */
export function useRevokeInvitation() {
  return useChange(
    (api, id: string) => unwrap(api.DELETE('/v1/console/invitations/{id}', { params: { path: { id } } })),
    useRefreshMembers(),
  )
}
