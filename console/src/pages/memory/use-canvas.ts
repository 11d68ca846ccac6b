import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import type { MemorySearch, Since } from './memory-search.ts'

export type Canvas = Schemas['MemoryCanvas']

/** As many as the service gives at once. */
export const NODES_MAX = 500
const WAITING_POLL_MS = 5_000
const DAY_MS = 24 * 60 * 60_000
const SINCE_DAYS: Record<Since, number> = { week: 7, month: 30, year: 365 }

/** The part of the memory that an address asks for; read again while items wait. */
export function useCanvas({ q, type, provider, since, node, around }: MemorySearch) {
  const { api, organization } = useWorkspace()
  const center = around === true ? node : undefined
  return useQuery({
    queryKey: [organization.id, 'memory-canvas', { q, type, provider, since, center }],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/v1/console/memory-canvas', {
          params: {
            query: {
              limit: NODES_MAX,
              ...(q === undefined ? {} : { q }),
              ...(type === undefined ? {} : { entityType: type }),
              ...(provider === undefined ? {} : { provider }),
              ...(since === undefined ? {} : { since: timeOf(since) }),
              ...(center === undefined ? {} : { around: center }),
            },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.complete === false ? WAITING_POLL_MS : false),
  })
}

function timeOf(since: Since): string {
  return new Date(Date.now() - SINCE_DAYS[since] * DAY_MS).toISOString()
}
