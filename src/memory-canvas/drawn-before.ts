import type { CanvasQuery } from './canvas-query.ts'
import type { CanvasEdge, CanvasNode } from './graph.ts'
import type { View } from './visible-sources.ts'

/** What is drawn of a view. */
export interface Graph {
  nodes: CanvasNode[]
  edges: CanvasEdge[]
}

/** Nodes of all graphs that are kept, with their edges some 10 MB. */
const NODES_MAX = 10_000

/** Graphs of the last requests: each holds for one view of one revision of the canvas, which the key tells, so none is ever outdated. */
export class DrawnBefore {
  readonly #graphs = new Map<string, Graph>()
  #nodes = 0

  /** The graph that was drawn of a view for a query, if it is still kept. */
  find(view: View, query: CanvasQuery): Graph | undefined {
    const key = keyOf(view, query)
    const graph = key === null ? undefined : this.#graphs.get(key)
    if (key === null || !graph) return undefined
    // Whoever was asked for last goes last.
    this.#graphs.delete(key)
    this.#graphs.set(key, graph)
    return graph
  }

  /** Keeps a graph that nothing but the view and the query decides, in place of those that were not asked for longest. */
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

/** Everything that a graph is drawn from; null where it is not known what state of the canvas that would be. */
function keyOf({ organizationId, sources, items, revision }: View, query: CanvasQuery): string | null {
  if (revision === null) return null
  const { q, provider, entityType, around, since, limit } = query
  const asked = [q, provider, entityType, around, since?.toISOString(), limit]
  return JSON.stringify([organizationId, revision, asked, sources, items?.key])
}
