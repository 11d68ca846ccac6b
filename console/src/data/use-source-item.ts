import { unwrap } from '../api/client.ts'
import { useRead } from './use-api.ts'

/** A stored item with its text; costs no credit. Sends no request without an ID. */
export function useSourceItem(id: string | undefined) {
  return useRead(
    ['source-items', id],
    async (api, signal) => {
      const params = { path: { id: id ?? '' } }
      return (await unwrap(api.GET('/v1/console/source-items/{id}', { params, signal }))).sourceItem
    },
    { enabled: id !== undefined },
  )
}
