import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { unwrap } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import type { MemorySearch, Since } from './memory-search.ts'
import { type Canvas, joined, withoutSources } from './shown-part.ts'

export type { Canvas } from './shown-part.ts'
/** What is shown of the memory, and whether the service has more of it. */
export type ShownCanvas = Canvas & { isFull: boolean }

/** Nodes that are read, sources among them: as many names as a picture can have labels for; the table has as many as the service gives at once. */
const SHOWN = { graph: 60, table: 500 } as const
/** Names that a search finds; each is shown with what is around it. */
const FOUND_MAX = 5
const WAITING_POLL_MS = 5_000
const DAY_MS = 24 * 60 * 60_000
const SINCE_DAYS: Record<Since, number> = { week: 7, month: 30, year: 365 }

/**
 * The part of the memory that an address asks for; read again while items wait. What a search finds comes with what is around it,
 * and so does the open name where it would not be shown else.
 */
export function useCanvas({ q, type, provider, since, node, around, view }: MemorySearch) {
  const { api, organization } = useWorkspace()
  const limit = SHOWN[view ?? 'graph']
  const filters = {
    ...(type === undefined ? {} : { entityType: type }),
    ...(provider === undefined ? {} : { provider }),
    ...(since === undefined ? {} : { since: timeOf(since) }),
  }
  const read = async (query: CanvasQuery, signal: AbortSignal): Promise<ShownCanvas> => {
    const canvas = await unwrap(api.GET('/v1/console/memory-canvas', { params: { query }, signal }))
    return { ...withoutSources(canvas), isFull: canvas.nodes.length >= limit }
  }
  const center = around === true ? node : undefined
  const main = useQuery({
    queryKey: [organization.id, 'memory-canvas', { q, type, provider, since, center, limit }],
    queryFn: async ({ signal }): Promise<ShownCanvas> => {
      const all = { ...filters, limit }
      if (center !== undefined) return await read({ ...all, around: center }, signal)
      if (q === undefined) return await read(all, signal)
      const found = await read({ ...filters, limit: FOUND_MAX, q }, signal)
      const near = await Promise.all(
        found.nodes.map(async ({ id }) => await read({ limit: NEAR_MAX, around: id }, signal)),
      )
      return { ...near.reduce<Canvas>(joined, found), isFull: false }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.complete === false ? WAITING_POLL_MS : false),
  })
  const isMissing =
    node !== undefined && main.data !== undefined && main.data.nodes.every(({ id }) => id !== node)
  const beside = useQuery({
    queryKey: [organization.id, 'memory-canvas', 'around', node],
    queryFn: ({ signal }) => read({ limit: NEAR_MAX, around: node ?? '' }, signal),
    enabled: isMissing,
  })
  const extra = isMissing ? beside.data : undefined
  const data = useMemo(
    () =>
      main.data !== undefined && extra !== undefined
        ? { ...main.data, ...joined(main.data, extra) }
        : main.data,
    [main.data, extra],
  )
  return { ...main, data }
}

type CanvasQuery = NonNullable<operations['consoleMemoryCanvas']['parameters']['query']>

const NEAR_MAX = 25

function timeOf(since: Since): string {
  return new Date(Date.now() - SINCE_DAYS[since] * DAY_MS).toISOString()
}
