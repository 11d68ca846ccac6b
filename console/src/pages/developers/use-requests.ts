import { type Schemas, unwrap } from '../../api/client.ts'
import { useReadPages } from '../../data/use-api.ts'
import { spanOf } from './logged-days.ts'
import type { RequestFilters } from './developers-search.ts'

const SHOWN_AT_ONCE = 50

/** Requests made with the workspace's keys, newest first. */
export function useRequests({ key, status, path, day }: RequestFilters) {
  return useReadPages<Schemas['LoggedRequest']>(
    ['request-log', key, status, path, day],
    async (api, given, signal) => {
      const query = {
        limit: SHOWN_AT_ONCE,
        ...(key === undefined ? {} : { apiKeyId: key }),
        ...(status === undefined ? {} : { status }),
        ...(path === undefined ? {} : { path }),
        ...(day === undefined ? {} : spanOf(day)),
        ...given,
      }
      const page = await unwrap(api.GET('/v1/console/request-log', { params: { query }, signal }))
      return { rows: page.requests, nextCursor: page.nextCursor }
    },
  )
}
