import type { StoredEntityType } from '../database/schema.ts'
import type { Atom, CountedName, SourceCount } from './atoms.ts'
import { RANK } from './extraction/identity.ts'

/** One entity: all atoms that the evidence in view says are the same. */
export interface Entity {
  /** Of the atom that tells it best from others. */
  id: string
  type: StoredEntityType
  label: string
  /** Its other names, those of most items first. */
  aliases: string[]
  /** Items that name it, in view. */
  weight: number
  counts: Map<string, SourceCount>
  atoms: Atom[]
}

/** A name belongs to whoever has it in so many times the items of anybody else. */
const CLEARLY = 2
/** A mailbox of more people than this is nobody's. */
const NAMES_OF_ONE_MAX = 3

/**
 * Puts atoms together to entities. An atom belongs to another that goes by its name and is told better by what it is: a phrase to
 * the person of that name, a name or a handle to the address that it was seen with. Where several go by the name, it belongs to
 * the one that clearly has it in more items, and else to none.
 */
export function resolveEntities(atoms: Iterable<Atom>): Entity[] {
  const all = [...atoms]
  const named = new Map<string, { atom: Atom; items: number }[]>()
  for (const atom of all) {
    if (isShared(atom)) continue
    for (const [alias, items] of aliasesOf(atom)) {
      const list = named.get(alias) ?? []
      list.push({ atom, items })
      named.set(alias, list)
    }
  }
  const parents = new Map(all.map((atom) => [atom.id, parentOf(atom, named)]))
  const groups = new Map<string, Atom[]>()
  const byId = new Map(all.map((atom) => [atom.id, atom]))
  for (const atom of all) {
    let root = atom
    // Ranks rise with every step, so it ends.
    for (let next = parents.get(root.id); next; next = parents.get(root.id)) root = next
    groups.set(root.id, [...(groups.get(root.id) ?? []), atom])
  }
  return [...groups].flatMap(([id, members]) => {
    const root = byId.get(id)
    return root ? [toEntity(root, members)] : []
  })
}

function parentOf(atom: Atom, named: ReadonlyMap<string, { atom: Atom; items: number }[]>): Atom | undefined {
  if (atom.alias === null) return undefined
  const candidates = (named.get(atom.alias) ?? [])
    .filter(
      ({ atom: other }) => other.rank > atom.rank && (other.type === atom.type || atom.type === 'topic'),
    )
    .toSorted((left, right) => right.items - left.items || (left.atom.id < right.atom.id ? -1 : 1))
  const [best, second] = candidates
  if (!best) return undefined
  return second && best.items < CLEARLY * second.items ? undefined : best.atom
}

function aliasesOf({ names }: Atom): Map<string, number> {
  const items = new Map<string, number>()
  for (const { alias, items: count } of names) {
    if (alias !== null) items.set(alias, (items.get(alias) ?? 0) + count)
  }
  return items
}

/** Whether an address goes by the full names of several people. */
function isShared(atom: Atom): boolean {
  if (atom.type !== 'person' || atom.rank !== RANK.address) return false
  return [...aliasesOf(atom).keys()].filter((alias) => alias.includes(' ')).length > NAMES_OF_ONE_MAX
}

function toEntity(root: Atom, atoms: Atom[]): Entity {
  const counts = new Map<string, SourceCount>()
  const names = new Map<string, number>()
  for (const atom of atoms) {
    for (const [sourceId, { items, authored }] of atom.counts) {
      const known = counts.get(sourceId) ?? { items: 0, authored: 0 }
      counts.set(sourceId, { items: known.items + items, authored: known.authored + authored })
    }
    for (const { name, items } of atom.names) names.set(name, (names.get(name) ?? 0) + items)
  }
  const ordered = [...names]
    .map(([name, items]): CountedName => ({ name, items, alias: null }))
    .toSorted((left, right) => right.items - left.items || (left.name < right.name ? -1 : 1))
  const label = ordered.toSorted((left, right) => plainness(left.name) - plainness(right.name))[0]?.name ?? ''
  return {
    id: root.id,
    type: root.type,
    label,
    aliases: ordered.map(({ name }) => name).filter((name) => name !== label),
    weight: [...counts.values()].reduce((sum, { items }) => sum + items, 0),
    counts,
    atoms,
  }
}

/** How far a name is from what one would call somebody: a name, then one turned round, a handle, an address or a domain. */
function plainness(name: string): number {
  if (/^\S+@\S+$/.test(name) || /^[a-z0-9.-]+\.[a-z]{2,}$/.test(name)) return 3
  if (name.startsWith('@')) return 2
  return name.includes(',') ? 1 : 0
}
