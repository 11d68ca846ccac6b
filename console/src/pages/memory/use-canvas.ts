import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { unwrap } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { kindOf } from './kinds.ts'
import { type MemorySearch, timeOf } from './memory-search.ts'
import { type Canvas, joined, withNodes, withoutSources } from './shown-part.ts'

export type { Canvas } from './shown-part.ts'
/** What is shown of the memory, and whether the service has more of it. */
export type ShownCanvas = Canvas & { isFull: boolean }

/** Nodes that are read, sources among them: as many names as a picture can have labels for; the table has as many as the service gives at once. */
const SHOWN = { graph: 66, table: 500 } as const
/** Channels and folders come together, as places: as many are read as can be to have enough of either. */
const PLACES_READ = 500
/** Names that a search finds; each is shown with what is around it. */
const FOUND_MAX = 5
const WAITING_POLL_MS = 5_000

/**
 * The part of the memory that an address asks for; read again while items wait. What a search finds comes with what is around it,
 * and so does the open name where it would not be shown else.
 */
export function useCanvas({ q, type, provider, since, node, around, view }: MemorySearch) {
  const { api, organization } = useWorkspace()
  const shown = SHOWN[view === 'table' ? 'table' : 'graph']
  const isOfPlaces = type === 'channel' || type === 'folder'
  const limit = isOfPlaces ? PLACES_READ : shown
  const filters = {
    ...(type === undefined ? {} : ({ entityType: type === 'folder' ? 'channel' : type } as const)),
    ...(provider === undefined ? {} : { provider }),
    ...(since === undefined ? {} : { since: timeOf(since).toISOString() }),
  }
  const read = async (query: CanvasQuery, signal: AbortSignal): Promise<ShownCanvas> => {
    const canvas = await unwrap(api.GET('/v1/console/memory-canvas', { params: { query }, signal }))
    if (query.entityType !== 'channel')
      return { ...withoutSources(canvas), isFull: canvas.nodes.length >= limit }
    const places = canvas.nodes.filter((one) => kindOf(one) === type)
    return { ...withNodes(canvas, places.slice(0, shown)), isFull: places.length > shown }
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
