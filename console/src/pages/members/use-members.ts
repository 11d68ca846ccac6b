import { useQueryClient } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { ME } from '../../session/user-api.ts'
import { useChange, useRead } from '../../data/use-api.ts'
import { useRefetch } from '../../data/use-refetch.ts'

export type Member = Schemas['Member']
export type Role = Member['role']

export function useMembers() {
  return useRead(
    ['members'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/members', { signal }))).members,
  )
}

export function useChangeRole() {
  return useChange(
    (api, { id, role }: Pick<Member, 'id' | 'role'>) =>
      unwrap(api.PATCH('/v1/console/members/{id}', { params: { path: { id } }, body: { role } })),
    useRefreshMembers(),
  )
}

export function useRemoveMember() {
  return useChange(
    (api, id: string) => unwrap(api.DELETE('/v1/console/members/{id}', { params: { path: { id } } })),
    useRefreshMembers(),
  )
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
