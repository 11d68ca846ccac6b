import { useMemo } from 'react'
import { unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'

/** A name with its neighbors and the items that name it. Sends no request without an ID. */
export function useEntity(id: string | undefined) {
  return useRead(
    ['entities', id],
    (api, signal) => {
      const params = { path: { id: id ?? '' } }
      return unwrap(api.GET('/v1/console/memory-canvas/entities/{id}', { params, signal }))
    },
    { enabled: id !== undefined },
  )
}

/** The IDs of the neighbors that a name's panel lists. */
export function useRelated(id: string | undefined): ReadonlySet<string> {
  const { data } = useEntity(id)
  return useMemo(() => new Set(data?.neighbours.map((one) => one.id)), [data])
}
