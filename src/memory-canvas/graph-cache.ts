import { LRUCache } from 'lru-cache'
import type { Canvas, CanvasQuery } from './schemas.ts'
import type { View } from './visible-sources.ts'

export type Graph = Pick<Canvas, 'nodes' | 'edges'>

/** Limit on the nodes of all cached graphs, about 10 MB with their edges. */
const NODES_MAX = 10_000

/** Cache of recent graphs. The key contains the view and the canvas revision, so an entry never goes stale. */
export class GraphCache {
  readonly #graphs = new LRUCache<string, Graph>({
    maxSize: NODES_MAX,
    sizeCalculation: ({ nodes }) => Math.max(1, nodes.length),
  })

  find(view: View, query: CanvasQuery): Graph | undefined {
    const key = keyOf(view, query)
    return key === null ? undefined : this.#graphs.get(key)
  }

  /** Caches a graph that depends on nothing but the view and the query, and evicts the least recently used. */
  keep(view: View, query: CanvasQuery, graph: Graph): void {
    const key = keyOf(view, query)
    if (key !== null) this.#graphs.set(key, graph)
  }
}

/** Everything that a graph depends on; null: the state of the canvas is unknown. */
function keyOf({ organizationId, sources, items, revision }: View, query: CanvasQuery): string | null {
  if (revision === null) return null
  const { q, provider, entityType, around, since, limit } = query
  const asked = [q, provider, entityType, around, since?.toISOString(), limit]
  return JSON.stringify([organizationId, revision, asked, sources, items?.key])
}
