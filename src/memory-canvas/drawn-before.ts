import type { CanvasQuery } from './canvas-query.ts'
import type { CanvasEdge, CanvasNode } from './graph.ts'
import type { View } from './visible-sources.ts'

export interface Graph {
  nodes: CanvasNode[]
  edges: CanvasEdge[]
}

/** Limit on the nodes of all cached graphs, about 10 MB with their edges. */
const NODES_MAX = 10_000

/** Cache of recent graphs. The key contains the view and the canvas revision, so an entry never goes stale. */
export class DrawnBefore {
  readonly #graphs = new Map<string, Graph>()
  #nodes = 0

  find(view: View, query: CanvasQuery): Graph | undefined {
    const key = keyOf(view, query)
    const graph = key === null ? undefined : this.#graphs.get(key)
    if (key === null || !graph) return undefined
    // Most recently used last.
    this.#graphs.delete(key)
    this.#graphs.set(key, graph)
    return graph
  }

  /** Caches a graph that depends on nothing but the view and the query, and evicts the least recently used. */
  keep(view: View, query: CanvasQuery, graph: Graph): void {
    const key = keyOf(view, query)
    if (key === null) return
    this.#forget(key)
    this.#graphs.set(key, graph)
    this.#nodes += graph.nodes.length
    for (const oldest of this.#graphs.keys()) {
      if (this.#nodes <= NODES_MAX) break
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#nodes -= this.#graphs.get(key)?.nodes.length ?? 0
    this.#graphs.delete(key)
  }
}

/** Everything that a graph depends on; null: the state of the canvas is unknown. */
function keyOf({ organizationId, sources, items, revision }: View, query: CanvasQuery): string | null {
  if (revision === null) return null
  const { q, provider, entityType, around, since, limit } = query
  const asked = [q, provider, entityType, around, since?.toISOString(), limit]
  return JSON.stringify([organizationId, revision, asked, sources, items?.key])
}
