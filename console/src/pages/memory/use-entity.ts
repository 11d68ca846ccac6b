import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** A name with its neighbors and the items that name it. Sends no request without an ID. */
export function useEntity(id: string | undefined) {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'entities', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/v1/console/memory-canvas/entities/{id}', { params: { path: { id: id ?? '' } }, signal }),
      ),
    enabled: id !== undefined,
  })
}

/** The IDs of the neighbors that a name's panel lists. */
export function useRelated(id: string | undefined): ReadonlySet<string> {
  const { data } = useEntity(id)
  return useMemo(() => new Set(data?.neighbours.map((one) => one.id)), [data])
}
