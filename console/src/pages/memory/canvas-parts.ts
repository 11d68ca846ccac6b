import type { Schemas } from '../../api/client.ts'

export type Canvas = Schemas['MemoryCanvas']

/** A canvas without sources, which link all of their items' names. */
export function withoutSources(canvas: Canvas): Canvas {
  return withNodes(
    canvas,
    canvas.nodes.filter(({ kind }) => kind === 'entity'),
  )
}

/** A canvas with only these nodes, and the edges between them. */
export function withNodes(canvas: Canvas, nodes: Canvas['nodes']): Canvas {
  const ids = new Set(nodes.map(({ id }) => id))
  return {
    ...canvas,
    nodes,
    edges: canvas.edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
  }
}

export function joined(one: Canvas, other: Canvas): Canvas {
  return {
    ...one,
    nodes: distinct([...one.nodes, ...other.nodes]),
    edges: distinct([...one.edges, ...other.edges]),
  }
}

function distinct<T extends { id: string }>(all: readonly T[]): T[] {
  return [...new Map(all.map((entry) => [entry.id, entry])).values()]
}
