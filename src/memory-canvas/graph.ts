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
  const limit = nodes.length * EDGES_A_NODE
  const links = [...edgesToSources(entities, sources), ...edgesBetween(entities, together, limit)]
  const edges = strongest(links, limit).map(({ type, source, target, weight }): CanvasEdge => ({
    id: `${type}:${source}:${target}`,
    source,
    target,
    type,
    weight,
  }))
  return { nodes, edges }
}

/** An edge that may not be shown; few of thousands are. */
type Link = Omit<CanvasEdge, 'id'>

/** The strongest links. Only these are sorted. */
function strongest(links: readonly Link[], limit: number): Link[] {
  const least = leastWeight(
    links.map(({ weight }) => weight),
    limit,
  )
  return links
    .filter(({ weight }) => weight >= least)
    .toSorted(strongestFirst)
    .slice(0, limit)
}

/** The least of the `limit` greatest weights; 0: there are no more than these. */
function leastWeight(weights: readonly number[], limit: number): number {
  return Float64Array.from(weights).toSorted().at(-limit) ?? 0
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

/** The strongest edges between entities, counted once for each item. Arrays hold what millions of pairs count. */
function edgesBetween(entities: readonly Entity[], together: readonly Together[], limit: number): Link[] {
  const count = entities.length
  const weights = new Uint32Array(EDGE_TYPES.length * count * count)
  const countedIn = new Uint32Array(weights.length)
  const keys: number[] = []
  const order = new Map(
    entities
      .map(({ id }) => id)
      .toSorted()
      .map((id, at) => [id, at]),
  )
  const places = entities.map(({ id }) => order.get(id) ?? 0)
  for (const [at, item] of together.entries()) {
    const named = item.map((naming) => ({
      node: placeOf(naming),
      role: roleOf(naming),
      place: places[placeOf(naming)] ?? 0,
    }))
    for (const a of named) {
      for (const b of named) {
        if (a.node === b.node) continue
        const type = edgeType(a.role, b.role, a.place < b.place)
        if (type === null) continue
        const key = (EDGE_TYPES.indexOf(type) * count + a.node) * count + b.node
        if (countedIn[key] === at + 1) continue
        countedIn[key] = at + 1
        weights[key] = (weights[key] ?? 0) + 1
        if (weights[key] === 1) keys.push(key)
      }
    }
  }
  const weightOf = (key: number): number => weights[key] ?? 0
  const least = leastWeight(keys.map(weightOf), limit)
  return keys
    .filter((key) => weightOf(key) >= least)
    .flatMap((key) => {
      const type = EDGE_TYPES[Math.floor(key / (count * count))]
      const source = entities[Math.floor(key / count) % count]
      const target = entities[key % count]
      return type && source && target
        ? [{ source: source.id, target: target.id, type, weight: weightOf(key) }]
        : []
    })
}

/** An author has edges to the item's names and channel. Other pairs have one edge, from the lower id. */
function edgeType(from: NamingRole, to: NamingRole, isLower: boolean): CanvasEdge['type'] | null {
  if (from === 'author' && to === 'channel') return 'posted_in'
  if (from === 'author' && to !== 'author') return 'mentions'
  if (to === 'author' && from !== 'author') return null
  return isLower ? 'co_occurs' : null
}
