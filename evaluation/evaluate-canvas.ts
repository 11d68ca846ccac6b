import type { TermWeights } from '../src/inference/term-weights.ts'
import { inOneGo } from '../src/kernel/cooperative.ts'
import {
  type Atom,
  byWeight,
  ENTITY_TYPES,
  type Entity,
  type EntityType,
  extractingEntities,
  fold,
  type FoundEntity,
  interleave,
  resolveEntities,
} from '../src/memory-canvas/index.ts'
import { HALVES, halfOf } from './read-facts.ts'
import type { LabeledItem } from './read-labeled-items.ts'

/** How well the memory canvas finds the labeled entities of items. */
export interface CanvasResult {
  items: number
  /** Each half, and each kind of entity in it. */
  groups: readonly CanvasGroup[]
  merges: readonly CanvasMerges[]
  /** The heaviest nodes of all items, chosen as on the canvas. */
  top: { nodes: number; right: number; wrong: readonly string[] }
  /** Faults of the tuning half; those of the other half stay unseen. */
  faults: readonly CanvasFault[]
}

export interface CanvasGroup {
  half: string
  kind: EntityType
  /**
   * Entities found per item, how many of them are right, labeled entities, and how many of those were found.
   */
  found: number
  right: number
  labeled: number
  recalled: number
}

/** Pairs of names that items use. */
export interface CanvasMerges {
  half: string
  /** Pairs of names of the same entity, and how many of them are one node. */
  same: number
  joined: number
  /** Pairs of names of different entities that are one node. */
  wronglyJoined: number
}

export interface CanvasFault {
  item: string
  kind: EntityType
  what: 'wrong' | 'missed'
  name: string
}

interface Found {
  item: LabeledItem
  entity: FoundEntity
}

/** A canvas node found in an item, with the label of each of its names there. */
interface Judged {
  item: LabeledItem
  node: Entity
  /** By name; null: unlabeled. */
  labels: Map<string, string | null>
}

const TOP_NODES = 50
/** As on the canvas: a topic of a single item is not shown. */
const TOPIC_WEIGHT_MIN = 2

/**
 * Reads items as the worker does, and resolves the entities of each half and of all items as the canvas does.
 */
export function evaluateCanvas(items: readonly LabeledItem[], terms: TermWeights): CanvasResult {
  const found = items.flatMap((item) =>
    inOneGo(extractingEntities(item, terms)).map((entity) => ({ item, entity })),
  )
  const nodes = entitiesOf(found)
  const judged = judgeAll(found, nodes, namesByLabel(items))
  const halves = HALVES.map((half) => ({
    half,
    items: items.filter(({ id }) => halfOf(id) === half),
    judged: judged.filter(({ item }) => halfOf(item.id) === half),
  }))
  return {
    items: items.length,
    groups: halves.flatMap((one) =>
      ENTITY_TYPES.map((kind) => ({ half: one.half, kind, ...count(one, kind) })),
    ),
    merges: halves.map((one) => ({ half: one.half, ...countMerges(one.judged) })),
    top: judgeTop(nodes, judged),
    faults: halves.filter(({ half }) => half === 'tuning').flatMap(faultsOf),
  }
}

/**
 * The names of each node in each item, whatever their type in the item alone: a phrase may be a person in
 * other items.
 */
function judgeAll(
  found: readonly Found[],
  nodes: readonly Entity[],
  names: ReadonlyMap<string, ReadonlySet<string>>,
): Judged[] {
  const byKey = new Map(nodes.flatMap((node) => node.atoms.map(({ id }) => [id, node] as const)))
  const judged = new Map<string, Judged>()
  for (const { item, entity } of found) {
    const node = byKey.get(entity.key)
    // A given name of several people belongs to no one.
    if (!node) continue
    const of = judged.get(`${item.id} ${node.id}`) ?? { item, node, labels: new Map() }
    judged.set(`${item.id} ${node.id}`, of)
    const labels = labelsOf(item, node.type).map(([label]) => label)
    for (const { name } of entity.names) {
      const label = labels.find((one) => names.get(`${node.type} ${one}`)?.has(fold(name)))
      of.labels.set(name, label ?? null)
    }
  }
  return [...judged.values()]
}

/** All names of each label. */
function namesByLabel(items: readonly LabeledItem[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>()
  for (const item of items) {
    for (const kind of ENTITY_TYPES) {
      for (const [label, given] of labelsOf(item, kind)) {
        const known = names.get(`${kind} ${label}`) ?? new Set<string>()
        names.set(`${kind} ${label}`, known)
        for (const name of given) known.add(fold(name))
      }
    }
  }
  return names
}

/** The distinct labels of a node's names in an item. */
function distinctLabels({ labels }: Judged): string[] {
  return [...new Set(labels.values())].filter((label) => label !== null)
}

function labelsOf({ entities }: LabeledItem, kind: FoundEntity['type']): [string, readonly string[]][] {
  return kind === 'source' ? [] : Object.entries(entities[kind] ?? {})
}

interface Half {
  items: readonly LabeledItem[]
  judged: readonly Judged[]
}

function count({ items, judged }: Half, kind: EntityType): Omit<CanvasGroup, 'half' | 'kind'> {
  const found = judged.filter(({ node }) => node.type === kind)
  return {
    found: found.length,
    right: found.filter((one) => distinctLabels(one).length > 0).length,
    labeled: items.reduce((sum, item) => sum + labelsOf(item, kind).length, 0),
    recalled: recalledIn(found).size,
  }
}

/** The labels found, with their items. */
function recalledIn(judged: readonly Judged[]): Set<string> {
  return new Set(
    judged.flatMap((one) => distinctLabels(one).map((label) => `${one.item.id} ${one.node.type} ${label}`)),
  )
}

function faultsOf({ items, judged }: Half): CanvasFault[] {
  const recalled = recalledIn(judged)
  const wrong = judged
    .filter((one) => distinctLabels(one).length === 0)
    .map(({ item, node, labels }) => ({
      item,
      kind: node.type,
      what: 'wrong' as const,
      name: [...labels.keys()].join(', '),
    }))
  const missed = items.flatMap((item) =>
    ENTITY_TYPES.flatMap((kind) =>
      labelsOf(item, kind)
        .filter(([label]) => !recalled.has(`${item.id} ${kind} ${label}`))
        .map(([, names]) => ({ item, kind, what: 'missed' as const, name: names.join(', ') })),
    ),
  )
  return [...wrong, ...missed].flatMap(({ item, kind, ...fault }) =>
    kind === 'source' ? [] : [{ item: item.id, kind, ...fault }],
  )
}

/** Resolves what was found in items to entities, as on the canvas. */
function entitiesOf(found: readonly Found[]): Entity[] {
  const atoms = new Map<string, Atom>()
  for (const { item, entity } of found) {
    const { type, alias, rank, key } = entity
    const atom: Atom = atoms.get(key) ?? { id: key, type, alias, rank, counts: new Map(), names: [] }
    atoms.set(key, atom)
    const counted = atom.counts.get(item.provider) ?? { items: 0, authored: 0 }
    counted.items += 1
    if (entity.role === 'author') counted.authored += 1
    atom.counts.set(item.provider, counted)
    for (const name of entity.names) {
      const known = atom.names.find((one) => one.name === name.name)
      if (known) known.items += 1
      else atom.names.push({ ...name, items: 1 })
    }
  }
  return resolveEntities(atoms.values())
}

function countMerges(judged: readonly Judged[]): Omit<CanvasMerges, 'half'> {
  const named = new Map<string, { label: string; node: string }>()
  for (const { node, labels } of judged) {
    for (const [name, label] of labels) {
      if (label === null) continue
      const of = `${node.type} ${label}`
      named.set(`${of} ${name.toLowerCase()} ${node.id}`, { label: of, node: node.id })
    }
  }
  const all = [...named.values()]
  const pairs = all.flatMap((left, at) => all.slice(at + 1).map((right) => ({ left, right })))
  const same = pairs.filter(({ left, right }) => left.label === right.label)
  const joined = pairs.filter(({ left, right }) => left.node === right.node)
  return {
    same: same.length,
    joined: joined.filter(({ left, right }) => left.label === right.label).length,
    wronglyJoined: joined.filter(({ left, right }) => left.label !== right.label).length,
  }
}

/** A node is right if most of its items label it as the same entity, of the node's type. */
function judgeTop(nodes: readonly Entity[], judged: readonly Judged[]): CanvasResult['top'] {
  const shown = nodes.filter(({ type, weight }) => type !== 'topic' || weight >= TOPIC_WEIGHT_MIN)
  const ranked = ENTITY_TYPES.map((kind) => shown.filter(({ type }) => type === kind).toSorted(byWeight))
  const top = interleave(ranked, TOP_NODES)
  const votes = new Map<Entity, Map<string, number>>()
  const items = new Map<Entity, number>()
  for (const one of judged) {
    const { node } = one
    items.set(node, (items.get(node) ?? 0) + 1)
    const of = votes.get(node) ?? new Map<string, number>()
    for (const label of distinctLabels(one)) of.set(label, (of.get(label) ?? 0) + 1)
    votes.set(node, of)
  }
  const wrong = top.filter(
    (node) => Math.max(0, ...(votes.get(node)?.values() ?? [])) * 2 <= (items.get(node) ?? 0),
  )
  return {
    nodes: top.length,
    right: top.length - wrong.length,
    wrong: wrong.map(({ type, label }) => `${type} ${label}`),
  }
}
