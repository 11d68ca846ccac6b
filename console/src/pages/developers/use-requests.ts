import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { spanOf } from './logged-days.ts'
import type { RequestFilters } from './developers-search.ts'

const SHOWN_AT_ONCE = 50

/** Requests made with the workspace's keys, newest first. */
export function useRequests({ key, status, path, day }: RequestFilters) {
  const { api, organization } = useWorkspace()
  return usePages<Schemas['LoggedRequest']>({
    queryKey: [organization.id, 'request-log', key, status, path, day],
    async read(cursor, signal) {
      const query = {
        limit: SHOWN_AT_ONCE,
        ...(key === undefined ? {} : { apiKeyId: key }),
        ...(status === undefined ? {} : { status }),
        ...(path === undefined ? {} : { path }),
        ...(day === undefined ? {} : spanOf(day)),
        ...(cursor === undefined ? {} : { cursor }),
      }
      const page = await unwrap(api.GET('/v1/console/request-log', { params: { query }, signal }))
      return { rows: page.requests, nextCursor: page.nextCursor }
    },
  })
}
