import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** A name with its neighbours and the items that name it; nothing is read without an id. */
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

/** The names that the panel of a name lists as related. */
export function useRelated(id: string | undefined): ReadonlySet<string> {
  const { data } = useEntity(id)
  return useMemo(() => new Set(data?.neighbours.map((one) => one.id)), [data])
}
