import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useRead } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export type SourcePermissions = Schemas['SourcePermissions']
export type Audience = NonNullable<SourcePermissions['audience']>
export type ItemReader = Schemas['ItemReader']

/** How the source's items get their readers, and how fresh that is. */
export function useSourcePermissions(id: string) {
  return useRead(
    ['source-permissions', id],
    async (api, signal) => {
      const params = { path: { id } }
      return (await unwrap(api.GET('/v1/console/sources/{id}/permissions', { params, signal }))).permissions
    },
    { refetchInterval: 60_000 },
  )
}

/** Sets the readers of all items of the source. */
export function useChooseAudience(id: string) {
  return useChange(
    (api, audience: Audience) =>
      unwrap(api.PATCH('/v1/console/sources/{id}', { params: { path: { id } }, body: { audience } })),
    ['source-permissions', 'source-items', 'audit-events'],
  )
}

/** The readers in the item's access policy. Admins only. */
export function useItemReaders(id: string) {
  const { isAdmin } = useWorkspace()
  return useRead(
    ['source-items', id, 'readers'],
    async (api, signal) => {
      const params = { path: { id } }
      return (await unwrap(api.GET('/v1/console/source-items/{id}/readers', { params, signal }))).readers
    },
    { enabled: isAdmin },
  )
}
