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

/** Both canvases. What both have is as in the first, whose weights count more items. */
export function joined(one: Canvas, other: Canvas): Canvas {
  return {
    ...one,
    nodes: distinct([...one.nodes, ...other.nodes]),
    edges: distinct([...one.edges, ...other.edges]),
  }
}

function distinct<T extends { id: string }>(all: readonly T[]): T[] {
  const first = new Map<string, T>()
  for (const entry of all) if (!first.has(entry.id)) first.set(entry.id, entry)
  return [...first.values()]
}
