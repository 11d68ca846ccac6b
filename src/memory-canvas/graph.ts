import type { Graph } from './graph-cache.ts'
import { PATH_MARK, type NamingRole } from './extraction/identity.ts'
import type { Entity } from './resolve.ts'
import { placeOf, roleOf, type Together } from './co-occurrences.ts'
import type { VisibleSource } from './visible-sources.ts'
import { type CanvasEdge, type CanvasNode, EDGE_TYPES } from './schemas.ts'

/** Average edges per node. */
const EDGES_A_NODE = 5

/** Heaviest first; ties by label and id, so that the order is deterministic. */
export function byWeight<T extends { weight: number; label: string; id: string }>(left: T, right: T): number {
  if (left.weight !== right.weight) return right.weight - left.weight
  if (left.label !== right.label) return left.label < right.label ? -1 : 1
  return left.id < right.id ? -1 : 1
}

/** Up to `limit` elements of several lists, one of each in turn, so that a long list does not displace the others. */
export function interleave<T>(lists: readonly (readonly T[])[], limit: number): T[] {
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

/** The graph of these entities and sources, with the strongest edges, up to five per node on average. */
export function toGraph(
  entities: readonly Entity[],
  sources: readonly (VisibleSource & { weight: number })[],
  together: readonly Together[],
): Graph {
  const labels = labelsApart(entities)
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
      type === 'source'
        ? []
        : [{ id, kind: 'entity', type, label: labels.get(id) ?? label, provider: null, weight }],
    ),
  ].toSorted(byWeight)
  const links = [...edgesToSources(entities, sources), ...edgesBetween(entities, together)]
  const edges = strongest(links, nodes.length * EDGES_A_NODE).map(
    ({ type, source, target, weight }): CanvasEdge => ({
      id: `${type}:${source}:${target}`,
      source,
      target,
      type,
      weight,
    }),
  )
  return { nodes, edges }
}

/** An edge that may not be shown; few of thousands are. */
type Link = Omit<CanvasEdge, 'id'>

/** The strongest links. Only these are sorted. */
function strongest(links: readonly Link[], limit: number): Link[] {
  const least = Float64Array.from(links, ({ weight }) => -weight).toSorted()[limit - 1]
  const kept = least === undefined ? links : links.filter(({ weight }) => weight >= -least)
  return kept.toSorted(strongestFirst).slice(0, limit)
}

/** Ties by id. */
function strongestFirst(left: Link, right: Link): number {
  if (left.weight !== right.weight) return right.weight - left.weight
  if (left.type !== right.type) return left.type < right.type ? -1 : 1
  if (left.source !== right.source) return left.source < right.source ? -1 : 1
  return left.target < right.target ? -1 : 1
}

/** Labels for folders with the same name, with as much path as distinguishes them: `Team / Plans`. */
function labelsApart(entities: readonly Entity[]): Map<string, string> {
  const labels = new Map<string, string>()
  const channels = entities.filter(({ type }) => type === 'channel')
  for (const same of Map.groupBy(channels, ({ label }) => label).values()) {
    if (same.length < 2) continue
    const paths = same.map(({ label, aliases }) => pathTo(label, aliases))
    const depth = Math.max(...paths.map(({ length }) => length))
    for (let parts = 2; parts <= depth; parts++) {
      const shown = paths.map((path) => path.slice(-parts).join(PATH_MARK))
      for (const [place, { id }] of same.entries()) labels.set(id, shown[place] ?? '')
      if (new Set(shown).size === shown.length) break
    }
  }
  return labels
}

function pathTo(label: string, aliases: readonly string[]): string[] {
  const path = aliases.find((alias) => alias.endsWith(`${PATH_MARK}${label}`)) ?? label
  return path.split(PATH_MARK)
}

function edgesToSources(entities: readonly Entity[], sources: readonly VisibleSource[]): Link[] {
  const edges: Link[] = []
  for (const { id, type, counts } of entities) {
    for (const { id: source } of sources) {
      const count = counts.get(source)
      if (!count) continue
      const { items, authored } = count
      if (type === 'channel') edges.push({ source, target: id, type: 'posted_in', weight: items })
      else {
        if (authored > 0) edges.push({ source: id, target: source, type: 'authored', weight: authored })
        if (items > authored) edges.push({ source, target: id, type: 'mentions', weight: items - authored })
      }
    }
  }
  return edges
}

/** An edge between two entities, counted once for each item. */
interface Counting extends Link {
  countedIn: Together
}

function edgesBetween(entities: readonly Entity[], together: readonly Together[]): Link[] {
  const edges = new Map<number, Counting>()
  for (const item of together) {
    for (const a of item) {
      for (const b of item) {
        const [fromNode, toNode] = [placeOf(a), placeOf(b)]
        const from = entities[fromNode]
        const to = entities[toNode]
        if (!from || !to || from === to) continue
        const type = edgeType(roleOf(a), roleOf(b), from.id < to.id)
        if (type === null) continue
        const key = (EDGE_TYPES.indexOf(type) * entities.length + fromNode) * entities.length + toNode
        const known = edges.get(key)
        if (!known) edges.set(key, { source: from.id, target: to.id, type, weight: 1, countedIn: item })
        else if (known.countedIn !== item) {
          known.weight += 1
          known.countedIn = item
        }
      }
    }
  }
  return [...edges.values()]
}

/** An author's edges lead to what the item names and to its channel; other pairs get one edge, from the lower id. */
function edgeType(from: NamingRole, to: NamingRole, isLower: boolean): CanvasEdge['type'] | null {
  if (from === 'author' && to === 'channel') return 'posted_in'
  if (from === 'author' && to !== 'author') return 'mentions'
  if (to === 'author' && from !== 'author') return null
  return isLower ? 'co_occurs' : null
}
