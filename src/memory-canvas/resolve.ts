import type { StoredEntityType } from '../database/schema.ts'
import type { Atom, SourceCount } from './atoms.ts'
import { aliasOf, givenNameOf, handleIn, PATH_MARK, RANK } from './extraction/identity.ts'

/** One entity: all atoms that are the same by the evidence in view. */
export interface Entity {
  /** The id of the atom that identifies it best. */
  id: string
  type: StoredEntityType
  label: string
  /** Its other names, those in the most items first. */
  aliases: string[]
  /** Items in view that name it. */
  weight: number
  counts: Map<string, SourceCount>
  atoms: Atom[]
}

/** A name belongs to an atom that has it in this many times the items of any other. */
const CLEARLY = 2
/** A mailbox with more people is shared. */
const NAMES_OF_ONE_MAX = 3

/** A word in this many times the items of all people with that given name also names something else. */
const ANOTHER_THING = 3

/**
 * Merges each atom into the most specific atom with the same name: a phrase into the person, a name or handle into
 * the address it appeared with, a given name (alone or as a handle) into the person who has it.
 * If several share the name, the one with clearly more items wins, or else none. A given name that several
 * people share is dropped.
 * @param itemsInView how many items in view name an atom, called for `wordsToWeigh` only; by default the
 * counted items
 */
export function resolveEntities(
  atoms: Iterable<Atom>,
  itemsInView: (atom: Atom) => number = ({ counts }) => itemsOf(counts),
): Entity[] {
  // Atoms that others can belong to come first, because their counts decide.
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

/** The atoms with a name, and in how many items. */
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

/** The atom that this one belongs to; null: itself; `several`: ambiguous. */
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
  const handle = handleIn(atom.alias)
  if (handle !== null) return clearly(givenNames.get(aliasOf(handle)) ?? [])
  const bearers = (isTopic && givenNames.get(atom.alias)) || []
  const items = bearers.reduce((sum, bearer) => sum + bearer.items, 0)
  if (items === 0 || itemsInView(atom) > ANOTHER_THING * items) return null
  return clearly(bearers) ?? 'several'
}

/** The atom that has a name in clearly more items than any other; null: none. */
function clearly(owners: readonly Bearer[]): Atom | null {
  const [best, second] = owners.toSorted(
    (left, right) => right.items - left.items || (left.atom.id < right.atom.id ? -1 : 1),
  )
  if (!best) return null
  return second && best.items < CLEARLY * second.items ? null : best.atom
}

/** Items of all sources. */
export function itemsOf(counts: ReadonlyMap<string, SourceCount> | undefined): number {
  let sum = 0
  for (const { items } of counts?.values() ?? []) sum += items
  return sum
}

/** Ids of the atoms whose owner depends on their items in view: words that may be a given name. */
export function wordsToWeigh(atoms: readonly Atom[]): string[] {
  const givenNames = new Set<string>()
  for (const { type, names } of atoms) {
    // A phrase may belong to a person and then is a name of that person.
    if (type !== 'person' && type !== 'topic') continue
    for (const { alias } of names) if (alias?.includes(' ')) givenNames.add(givenNameOf(alias))
  }
  return atoms
    .filter(({ type, alias }) => type === 'topic' && alias !== null && givenNames.has(alias))
    .map(({ id }) => id)
}

function isShared(atom: Atom): boolean {
  return fullNamesOf(atom).length > NAMES_OF_ONE_MAX
}

/** The items of each full name of an address, most first. */
function fullNamesOf({ type, rank, names }: Atom): number[] {
  if (type !== 'person' || rank !== RANK.address) return []
  const fullNames = new Map<string, number>()
  for (const { alias, items } of names)
    if (alias?.includes(' ')) fullNames.set(alias, (fullNames.get(alias) ?? 0) + items)
  return [...fullNames.values()].toSorted((left, right) => right - left)
}

function toEntity(root: Atom, atoms: Atom[]): Entity {
  const counts = atoms.length === 1 ? root.counts : countsTogether(atoms)
  const names = namesTogether(atoms).toSorted(
    (left, right) => right.items - left.items || (left.name < right.name ? -1 : 1),
  )
  const label = addressOfSeveral(root) ?? labelOf(names, root)
  const aliases = names.length < 2 ? [] : names.map(({ name }) => name).filter((name) => name !== label)
  return { id: root.id, type: root.type, label, aliases, weight: itemsOf(counts), counts, atoms }
}

/** An address that several people use, none of them clearly most; undefined: another atom. */
function addressOfSeveral(atom: Atom): string | undefined {
  const [best = 0, second = 0] = fullNamesOf(atom)
  if (!isShared(atom) || best >= CLEARLY * second) return undefined
  return atom.names.find(({ alias }) => alias === null)?.name
}

function labelOf(names: readonly { name: string }[], root: Atom): string {
  let label = names[0]?.name ?? ''
  let least = plainness(label, root)
  for (const { name } of names) {
    const farness = least === 0 ? 0 : plainness(name, root)
    if (farness < least) [label, least] = [name, farness]
  }
  return label
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

function namesTogether(atoms: readonly Atom[]): { name: string; items: number }[] {
  const names = new Map<string, number>()
  for (const atom of atoms) {
    for (const { name, items } of atom.names) names.set(name, (names.get(name) ?? 0) + items)
  }
  return Array.from(names, ([name, items]) => ({ name, items }))
}

/** How far a name is from everyday use: name, part of one, inverted name or path, handle, address or domain. */
function plainness(name: string, { type }: Atom): number {
  if (/^\S+@\S+$/.test(name) || /^[a-z0-9.-]+\.[a-z]{2,}$/.test(name)) return 3
  if (name.startsWith('@')) return 2
  if (name.includes(PATH_MARK)) return 1
  return name.includes(',') || (type === 'person' && !name.includes(' ')) ? 1 : 0
}
