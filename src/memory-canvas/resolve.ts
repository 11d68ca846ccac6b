import type { StoredEntityType } from '../database/schema.ts'
import type { Atom, CountedName, SourceCount } from './atoms.ts'
import { givenNameOf, PATH_MARK, RANK } from './extraction/identity.ts'

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
 * A word in so many times the items of all people with that given name names something else as well, as `Mercury` may where
 * somebody is called so.
 */
const ANOTHER_THING = 3

/**
 * Puts atoms together to entities. An atom belongs to another that goes by its name and is told better by what it is: a phrase to
 * the person of that name, a name or a handle to the address that it was seen with, a lone given name to who has it. Where several
 * go by the name, it belongs to the one that clearly has it in more items, and else to none; a given name of several people is
 * nothing by itself, and on no entity.
 */
export function resolveEntities(atoms: Iterable<Atom>): Entity[] {
  // Those that others belong to first, so that these are counted for what they belong to themselves.
  const all = [...atoms].toSorted((left, right) => right.rank - left.rank || (left.id < right.id ? -1 : 1))
  const roots = new Map<string, Atom>()
  const named = new Map<string, Map<Atom, number>>()
  const givenNames = new Map<string, Map<Atom, number>>()
  const groups = new Map<Atom, Atom[]>()
  for (const atom of all) {
    const owner = ownerOf(atom, named, givenNames)
    if (owner === 'several') continue
    const root = owner === null ? atom : (roots.get(owner.id) ?? owner)
    roots.set(atom.id, root)
    groups.set(root, [...(groups.get(root) ?? []), atom])
    if (isShared(atom)) continue
    for (const [alias, items] of aliasesOf(atom)) {
      addItems(named, alias, root, items)
      if (root.type === 'person' && alias.includes(' ')) addItems(givenNames, givenNameOf(alias), root, items)
    }
  }
  return [...groups].map(([root, members]) => toEntity(root, members))
}

function addItems(into: Map<string, Map<Atom, number>>, name: string, root: Atom, items: number): void {
  const known = into.get(name) ?? new Map<Atom, number>()
  into.set(name, known.set(root, (known.get(root) ?? 0) + items))
}

/** Whom an atom belongs to; null: to itself; `several`: to one of several, nobody knows whom. */
function ownerOf(
  atom: Atom,
  named: ReadonlyMap<string, ReadonlyMap<Atom, number>>,
  givenNames: ReadonlyMap<string, ReadonlyMap<Atom, number>>,
): Atom | 'several' | null {
  if (atom.alias === null) return null
  const isTopic = atom.type === 'topic'
  const owners = [...(named.get(atom.alias) ?? [])].filter(
    ([other]) => other.rank > atom.rank && (other.type === atom.type || isTopic),
  )
  if (owners.length > 0) return clearly(owners)
  const bearers = isTopic ? [...(givenNames.get(atom.alias) ?? [])] : []
  const items = bearers.reduce((sum, [, count]) => sum + count, 0)
  if (items === 0 || itemsOf(atom) > ANOTHER_THING * items) return null
  return clearly(bearers) ?? 'several'
}

/** The one that has a name in clearly more items than any other; null: none has. */
function clearly(owners: readonly (readonly [Atom, number])[]): Atom | null {
  const [best, second] = owners.toSorted(
    ([left, itemsOfLeft], [right, itemsOfRight]) =>
      itemsOfRight - itemsOfLeft || (left.id < right.id ? -1 : 1),
  )
  if (!best) return null
  return second && best[1] < CLEARLY * second[1] ? null : best[0]
}

function itemsOf({ counts }: Atom): number {
  return counts.values().reduce((sum, { items }) => sum + items, 0)
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
  const label =
    ordered.toSorted((left, right) => plainness(left.name, root) - plainness(right.name, root))[0]?.name ?? ''
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

/**
 * How far a name is from what one would call somebody: a name, then a part of one, one turned round or where a folder is, a handle,
 * an address or a domain.
 */
function plainness(name: string, { type }: Atom): number {
  if (/^\S+@\S+$/.test(name) || /^[a-z0-9.-]+\.[a-z]{2,}$/.test(name)) return 3
  if (name.startsWith('@')) return 2
  if (name.includes(PATH_MARK)) return 1
  return name.includes(',') || (type === 'person' && !name.includes(' ')) ? 1 : 0
}
