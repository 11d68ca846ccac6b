import type { StoredEntityType } from '../database/schema.ts'
import type { Atom, SourceCount } from './atoms.ts'
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
 * @param itemsInView how many items in view name an atom, asked of `wordsToWeigh` alone; where it is not said, as many as are counted
 */
export function resolveEntities(
  atoms: Iterable<Atom>,
  itemsInView: (atom: Atom) => number = ({ counts }) => itemsOf(counts),
): Entity[] {
  // Those that others belong to first, so that these are counted for what they belong to themselves.
  const all = [...atoms].toSorted((left, right) => right.rank - left.rank || (left.id < right.id ? -1 : 1))
  const roots = new Map<string, Atom>()
  const named: Bearers = new Map()
  const givenNames: Bearers = new Map()
  const groups = new Map<Atom, Atom[]>()
  for (const atom of all) {
    const owner = ownerOf(atom, named, givenNames, itemsInView)
    if (owner === 'several') continue
    const root = owner === null ? atom : (roots.get(owner.id) ?? owner)
    roots.set(atom.id, root)
    const group = groups.get(root)
    if (group) group.push(atom)
    else groups.set(root, [atom])
    if (isShared(atom)) continue
    for (const { alias, items } of atom.names) {
      if (alias === null) continue
      addItems(named, alias, root, items)
      if (root.type === 'person' && alias.includes(' ')) addItems(givenNames, givenNameOf(alias), root, items)
    }
  }
  return Array.from(groups, ([root, members]) => toEntity(root, members))
}

/** Who goes by a name, and in how many items. */
type Bearers = Map<string, Bearer[]>

interface Bearer {
  atom: Atom
  items: number
}

function addItems(into: Bearers, name: string, atom: Atom, items: number): void {
  const known = into.get(name)
  const bearer = known?.find((one) => one.atom === atom)
  if (bearer) bearer.items += items
  else if (known) known.push({ atom, items })
  else into.set(name, [{ atom, items }])
}

/** Whom an atom belongs to; null: to itself; `several`: to one of several, nobody knows whom. */
function ownerOf(
  atom: Atom,
  named: Bearers,
  givenNames: Bearers,
  itemsInView: (atom: Atom) => number,
): Atom | 'several' | null {
  if (atom.alias === null) return null
  const isTopic = atom.type === 'topic'
  const owners = named
    .get(atom.alias)
    ?.filter(({ atom: { rank, type } }) => rank > atom.rank && (type === atom.type || isTopic))
  if (owners && owners.length > 0) return clearly(owners)
  const bearers = (isTopic && givenNames.get(atom.alias)) || []
  const items = bearers.reduce((sum, bearer) => sum + bearer.items, 0)
  if (items === 0 || itemsInView(atom) > ANOTHER_THING * items) return null
  return clearly(bearers) ?? 'several'
}

/** The one that has a name in clearly more items than any other; null: none has. */
function clearly(owners: readonly Bearer[]): Atom | null {
  const [best, second] = owners.toSorted(
    (left, right) => right.items - left.items || (left.atom.id < right.atom.id ? -1 : 1),
  )
  if (!best) return null
  return second && best.items < CLEARLY * second.items ? null : best.atom
}

/** How many items are counted, of all sources. */
export function itemsOf(counts: ReadonlyMap<string, SourceCount> | undefined): number {
  let sum = 0
  for (const { items } of counts?.values() ?? []) sum += items
  return sum
}

/** The ids of the atoms whose items in view decide whose they are: words that may be the given name of one of the others. */
export function wordsToWeigh(atoms: readonly Atom[]): string[] {
  const givenNames = new Set<string>()
  for (const { type, names } of atoms) {
    // A phrase may belong to a person, and is a name of that person then.
    if (type !== 'person' && type !== 'topic') continue
    for (const { alias } of names) if (alias?.includes(' ')) givenNames.add(givenNameOf(alias))
  }
  return atoms
    .filter(({ type, alias }) => type === 'topic' && alias !== null && givenNames.has(alias))
    .map(({ id }) => id)
}

/** Whether an address goes by the full names of several people. */
function isShared(atom: Atom): boolean {
  if (atom.type !== 'person' || atom.rank !== RANK.address) return false
  const fullNames = new Set(atom.names.map(({ alias }) => alias).filter((alias) => alias?.includes(' ')))
  return fullNames.size > NAMES_OF_ONE_MAX
}

function toEntity(root: Atom, atoms: Atom[]): Entity {
  const counts = atoms.length === 1 ? root.counts : countsTogether(atoms)
  const names = namesTogether(atoms).toSorted(
    (left, right) => right.items - left.items || (left.name < right.name ? -1 : 1),
  )
  let label = names[0]?.name ?? ''
  let least = plainness(label, root)
  for (const { name } of names) {
    const farness = least === 0 ? 0 : plainness(name, root)
    if (farness < least) [label, least] = [name, farness]
  }
  const aliases = names.length < 2 ? [] : names.map(({ name }) => name).filter((name) => name !== label)
  return { id: root.id, type: root.type, label, aliases, weight: itemsOf(counts), counts, atoms }
}

function countsTogether(atoms: readonly Atom[]): Map<string, SourceCount> {
  const counts = new Map<string, SourceCount>()
  for (const atom of atoms) {
    for (const [sourceId, { items, authored }] of atom.counts) {
      const known = counts.get(sourceId) ?? { items: 0, authored: 0 }
      counts.set(sourceId, { items: known.items + items, authored: known.authored + authored })
    }
  }
  return counts
}

/** The names of all atoms, each once. */
function namesTogether(atoms: readonly Atom[]): { name: string; items: number }[] {
  const [only, ...others] = atoms
  // The names of one are each there once.
  if (only && others.length === 0) return only.names
  const names = new Map<string, number>()
  for (const atom of atoms) {
    for (const { name, items } of atom.names) names.set(name, (names.get(name) ?? 0) + items)
  }
  return Array.from(names, ([name, items]) => ({ name, items }))
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
