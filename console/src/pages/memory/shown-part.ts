import type { Schemas } from '../../api/client.ts'

export type Canvas = Schemas['MemoryCanvas']

/** The names of a canvas with what links them. Sources are left out: they link everything that they brought. */
export function withoutSources({ nodes, edges, ...rest }: Canvas): Canvas {
  const entities = nodes.filter(({ kind }) => kind === 'entity')
  const ids = new Set(entities.map(({ id }) => id))
  return {
    ...rest,
    nodes: entities,
    edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
  }
}

/** Two parts of the memory as one. */
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
