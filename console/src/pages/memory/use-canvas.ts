import { keepPreviousData } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Api, unwrap } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { useRead } from '../../data/use-api.ts'
import { kindOf } from './kinds.ts'
import { type MemorySearch, timeOf } from './memory-search.ts'
import { type Canvas, joined, withNodes, withoutSources } from './canvas-parts.ts'

export type { Canvas } from './canvas-parts.ts'
/** The visible part of the memory. `isFull`: the service has more. */
export type ShownCanvas = Canvas & { isFull: boolean }

/** Nodes to request, including sources: as many as the graph has room to label, or as the service returns at once. */
const SHOWN = { graph: 66, table: 500 } as const
/** The service returns channels and folders together, so more are read to find enough of one kind. */
const PLACES_READ = 500
/** The number of search hits. Each one is shown with its neighbors. */
const FOUND_MAX = 5
const WAITING_POLL_MS = 5_000

/**
 * The part of the memory that the search parameters select. Polls while items wait to be processed.
 * Includes the neighbors of search hits, and those of the open node if it would not be visible otherwise.
 */
export function useCanvas({ q, type, provider, since, node, around, view }: MemorySearch) {
  const shown = SHOWN[view === 'table' ? 'table' : 'graph']
  const isOfPlaces = type === 'channel' || type === 'folder'
  const limit = isOfPlaces ? PLACES_READ : shown
  const filters = {
    ...(type === undefined ? {} : ({ entityType: type === 'folder' ? 'channel' : type } as const)),
    ...(provider === undefined ? {} : { provider }),
    ...(since === undefined ? {} : { since: timeOf(since).toISOString() }),
  }
  const read = async (api: Api, query: CanvasQuery, signal: AbortSignal): Promise<ShownCanvas> => {
    const canvas = await unwrap(api.GET('/v1/console/memory-canvas', { params: { query }, signal }))
    if (query.entityType !== 'channel')
      return { ...withoutSources(canvas), isFull: canvas.nodes.length >= limit }
    const places = canvas.nodes.filter((one) => kindOf(one) === type)
    return { ...withNodes(canvas, places.slice(0, shown)), isFull: places.length > shown }
  }
  const center = around === true ? node : undefined
  const main = useRead(
    ['memory-canvas', { q, type, provider, since, center, limit }],
    async (api, signal): Promise<ShownCanvas> => {
      const all = { ...filters, limit }
      if (center !== undefined) return await read(api, { ...all, around: center }, signal)
      if (q === undefined) return await read(api, all, signal)
      const found = await read(api, { ...filters, limit: FOUND_MAX, q }, signal)
      const near = await Promise.all(
        found.nodes.map(
          async ({ id }) => await read(api, { ...filters, limit: NEAR_MAX, around: id }, signal),
        ),
      )
      return { ...near.reduce<Canvas>(joined, found), isFull: false }
    },
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.complete === false ? WAITING_POLL_MS : false),
    },
  )
  const isMissing =
    node !== undefined && main.data !== undefined && main.data.nodes.every(({ id }) => id !== node)
  const beside = useRead(
    ['memory-canvas', 'around', node],
    (api, signal) => read(api, { limit: NEAR_MAX, around: node ?? '' }, signal),
    { enabled: isMissing },
  )
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
