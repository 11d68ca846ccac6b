import type { ProviderId } from '../kernel/providers.ts'
import type { EntityType } from './atoms.ts'
import type { Entity } from './resolve.ts'
import type { Together } from './selection.ts'
import type { VisibleSource } from './visible-sources.ts'

export const EDGE_TYPES = ['authored', 'mentions', 'posted_in', 'co_occurs'] as const
export type EdgeType = (typeof EDGE_TYPES)[number]

export interface CanvasNode {
  id: string
  kind: 'entity' | 'source'
  /** Of a source its provider. */
  type: EntityType | ProviderId
  label: string
  provider: ProviderId | null
  weight: number
}

export interface CanvasEdge {
  id: string
  source: string
  target: string
  type: EdgeType
  weight: number
}

/** Edges for each node, on average. */
const EDGES_A_NODE = 5

/** Heaviest first; ties by label and id, so that the same data gives the same order. */
export function byWeight<T extends { weight: number; label: string; id: string }>(left: T, right: T): number {
  if (left.weight !== right.weight) return right.weight - left.weight
  if (left.label !== right.label) return left.label < right.label ? -1 : 1
  return left.id < right.id ? -1 : 1
}

/** As many as `limit` of several lists, one of each in turn, so that a long list leaves the others their place. */
export function inTurns<T>(lists: readonly (readonly T[])[], limit: number): T[] {
  const taken: T[] = []
  const longest = lists.reduce((most, list) => Math.max(most, list.length), 0)
  for (let place = 0; place < longest; place++) {
    for (const list of lists) {
      const one = list[place]
      if (one !== undefined && taken.length < limit) taken.push(one)
    }
  }
  return taken
}

/** The graph of these entities and sources, its strongest edges and no more than five for each node. */
export function toGraph(
  entities: readonly Entity[],
  sources: readonly (VisibleSource & { weight: number })[],
  together: readonly Together[],
): { nodes: CanvasNode[]; edges: CanvasEdge[] } {
  const nodes = [
    ...sources.map(({ id, provider, label, weight }): CanvasNode => ({
      id,
      kind: 'source',
      type: provider,
      label,
      provider,
      weight,
    })),
    ...entities.flatMap(({ id, type, label, weight }): CanvasNode[] =>
      type === 'source' ? [] : [{ id, kind: 'entity', type, label, provider: null, weight }],
    ),
  ].toSorted(byWeight)
  const edges = [...edgesToSources(entities, sources), ...edgesBetween(entities, together)]
    .toSorted((left, right) => right.weight - left.weight || (left.id < right.id ? -1 : 1))
    .slice(0, nodes.length * EDGES_A_NODE)
  return { nodes, edges }
}

function edge(type: EdgeType, source: string, target: string, weight: number): CanvasEdge {
  return { id: `${type}:${source}:${target}`, source, target, type, weight }
}

function edgesToSources(entities: readonly Entity[], sources: readonly VisibleSource[]): CanvasEdge[] {
  const edges: CanvasEdge[] = []
  for (const { id, type, counts } of entities) {
    for (const { id: sourceId } of sources) {
      const count = counts.get(sourceId)
      if (!count) continue
      const { items, authored } = count
      if (type === 'channel') edges.push(edge('posted_in', sourceId, id, items))
      else {
        if (authored > 0) edges.push(edge('authored', id, sourceId, authored))
        if (items > authored) edges.push(edge('mentions', sourceId, id, items - authored))
      }
    }
  }
  return edges
}

function edgesBetween(entities: readonly Entity[], together: readonly Together[]): CanvasEdge[] {
  const edges = new Map<string, CanvasEdge>()
  for (const { nodes, roles } of together) {
    const inItem = new Map<string, CanvasEdge>()
    for (let a = 0; a < nodes.length; a++) {
      for (let b = 0; b < nodes.length; b++) {
        const from = entities[nodes[a] ?? -1]
        const to = entities[nodes[b] ?? -1]
        if (!from || !to || from === to) continue
        const type = edgeType(roles[a] ?? 'mention', roles[b] ?? 'mention', from.id < to.id)
        if (type === null) continue
        const one = edge(type, from.id, to.id, 1)
        inItem.set(one.id, one)
      }
    }
    for (const [id, one] of inItem) {
      const known = edges.get(id)
      if (known) known.weight += 1
      else edges.set(id, one)
    }
  }
  return [...edges.values()]
}

/** From who wrote an item to what it says and where it stands; what else it names together is one edge, from the lower id. */
function edgeType(
  from: Together['roles'][number],
  to: Together['roles'][number],
  isLower: boolean,
): EdgeType | null {
  if (from === 'author' && to === 'channel') return 'posted_in'
  if (from === 'author' && to !== 'author') return 'mentions'
  if (to === 'author' && from !== 'author') return null
  return isLower ? 'co_occurs' : null
}
