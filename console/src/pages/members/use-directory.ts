import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { ME } from '../../session/user-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export type Group = Schemas['Group']
export type ScimToken = Schemas['ScimToken']

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

export function useScimTokens() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'scim-tokens'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/scim-tokens', { signal }))).scimTokens,
  })
}

/** Creates a SCIM token. Only this response contains its secret. */
export function useCreateScimToken() {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (name: string) => unwrap(api.POST('/v1/console/scim-tokens', { body: { name } })),
    onSuccess: () => refetch('scim-tokens', 'audit-events'),
  })
}

export function useRevokeScimToken() {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/v1/console/scim-tokens/{id}', { params: { path: { id } } })),
    onSuccess: () => refetch('scim-tokens', 'audit-events'),
  })
}

/** Turns the enforcement of permissions on or off. Owners only. */
export function useEnforcePermissions() {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (permissions: 'off' | 'enforced') =>
      unwrap(
        api.PATCH('/v1/console/organizations/{id}', {
          params: { path: { id: organization.id } },
          body: { permissions },
        }),
      ),
    // The user may now read other items, so all cached data is stale.
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ME }),
        queries.invalidateQueries({ queryKey: [organization.id] }),
      ]),
  })
}
