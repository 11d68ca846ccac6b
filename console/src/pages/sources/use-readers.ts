import { useMutation, useQuery } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export type SourcePermissions = Schemas['SourcePermissions']
export type Audience = NonNullable<SourcePermissions['audience']>
export type ItemReader = Schemas['ItemReader']

/** How the source's items get their readers, and how fresh that is. */
export function useSourcePermissions(id: string) {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'source-permissions', id],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/v1/console/sources/{id}/permissions', { params: { path: { id } }, signal })))
        .permissions,
    refetchInterval: 60_000,
  })
}

/** Sets the readers of all items of the source. */
export function useChooseAudience(id: string) {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (audience: Audience) =>
      unwrap(api.PATCH('/v1/console/sources/{id}', { params: { path: { id } }, body: { audience } })),
    onSuccess: () => refetch('source-permissions', 'source-items', 'audit-events'),
  })
}

/** The readers in the item's access policy. Admins only. */
export function useItemReaders(id: string) {
  const { api, organization, isAdmin } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'source-items', id, 'readers'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/v1/console/source-items/{id}/readers', { params: { path: { id } }, signal })))
        .readers,
    enabled: isAdmin,
  })
}
