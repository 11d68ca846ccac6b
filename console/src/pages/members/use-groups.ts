import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useRead } from '../../data/use-api.ts'

export type Group = Schemas['Group']

/** The maximum number of groups on the page. */
export const GROUPS_SHOWN = 200

/** The newest groups, and whether there are more. */
export function useGroups() {
  return useRead(['groups'], (api, signal) =>
    unwrap(api.GET('/v1/console/groups', { params: { query: { limit: GROUPS_SHOWN } }, signal })),
  )
}

export function usePutGroup() {
  return useChange(
    (api, { id, members }: { id: string; members: string[] }) => {
      const params = { path: { groupId: id } }
      return unwrap(api.PUT('/v1/console/groups/{groupId}', { params, body: { members } }))
    },
    ['groups', 'audit-events'],
  )
}

export function useDeleteGroup() {
  return useChange(
    (api, groupId: string) =>
      unwrap(api.DELETE('/v1/console/groups/{groupId}', { params: { path: { groupId } } })),
    ['groups', 'audit-events'],
  )
}
