import { unwrap } from '../api/client.ts'
import { useRead } from './use-api.ts'

/** Counts of the stored items. */
export function useOverview() {
  return useRead(['overview'], (api, signal) => unwrap(api.GET('/v1/console/overview', { signal })))
}
