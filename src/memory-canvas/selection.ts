import { z } from 'zod'
import { arrayOf } from '../database/array-of.ts'
import type { Db } from '../database/database.ts'
import { type Atom, countedInAll, idsInView, loadAtoms, type SourceCount } from './atoms.ts'
import { type EntityType, STORED_ENTITY_TYPES, type StoredEntityType } from '../database/schema-words.ts'
import { NAMING_ROLES } from './extraction/identity.ts'
import { interleave } from './graph.ts'
import { prepareInView } from './in-view.ts'
import { type Entity, itemsOf, resolveEntities, wordsToWeigh } from './resolve.ts'
import { namingOf, placeOf, roleOf, type Together } from './co-occurrences.ts'
import type { View } from './visible-sources.ts'

/** The items in view for a part of the canvas, with all that they name. */
export interface Selection {
  sources: readonly string[]
  atoms: ReadonlyMap<string, SelectedAtom>
}

interface SelectedAtom {
  type: StoredEntityType
  /** The items that name it: each item's index with the role (`namingOf`). */
  namings: number[]
}

export interface Selecting {
  /** Atoms that the items name. Every item names its source. */
  atomIds: readonly string[]
  /** Earliest change; null: any time. */
  since: Date | null
  /** Takes only the latest, which bounds what a request reads. */
  limit: number
}

/** The latest items that name one of the given atoms. */
const LATEST = `
  select m.source_item_id from unnest($3::uuid[]) as a(id)
  cross join unnest($2::uuid[]) as s(id)
  cross join lateral (
    select source_item_id, seen_at from item_entities
    where organization_id = $1 and entity_id = a.id and source_id = s.id and seen_at >= to_timestamp($4::float8)
    order by seen_at desc, source_item_id limit $5
  ) m
  group by m.source_item_id
  order by max(m.seen_at) desc, m.source_item_id limit $5`

const selectLatest = prepareInView(LATEST)

/**
 * The names in the latest items as one string, which is much cheaper than one row per name. Items are separated by
 * `;`. Each has the 1-based index of its source, then for every atom the id with the initials of type and role,
 * separated by `,`.
 */
const selectNamings = prepareInView(`
  select string_agg(source || ',' || names, ';') as items from (
    select array_position($2::uuid[], m.source_id) as source,
      string_agg(m.entity_id || left(e.type, 1) || left(m.role, 1), ',') as names
    from item_entities m join entities e on e.organization_id = $1 and e.id = m.entity_id
    where m.organization_id = $1 and m.source_item_id = any(array(${LATEST})) and m.source_id = any($2::uuid[])
    group by m.source_item_id, m.source_id
  ) x`)

function valuesOf(view: View, { atomIds, since, limit }: Selecting): unknown[] {
  return [
    view.organizationId,
    idsInView(view),
    arrayOf(atomIds),
    // In seconds: a timestamp text cannot express every year.
    since === null ? '-Infinity' : since.getTime() / 1000,
    limit,
  ]
}

const ItemRows = z.array(z.object({ source_item_id: z.string() }))

/** The ids of the latest items in view that name one of the atoms, latest first. */
export async function latestItems(db: Db, view: View, selecting: Selecting): Promise<string[]> {
  const { rows } = await selectLatest(db, view, valuesOf(view, selecting))
  return ItemRows.parse(rows).map((row) => row.source_item_id)
}

const ID_LENGTH = 36
const TYPES = new Map(STORED_ENTITY_TYPES.map((type) => [type.charAt(0), type]))
const ROLE_PLACES = new Map(NAMING_ROLES.map((role, place) => [role.charAt(0), place]))
const NamingRows = z.tuple([z.object({ items: z.string().nullable() })])

/** The latest items in view that name one of the atoms, with what else they name. */
export async function selectItems(db: Db, view: View, selecting: Selecting): Promise<Selection> {
  const { rows } = await selectNamings(db, view, valuesOf(view, selecting))
  const [{ items }] = NamingRows.parse(rows)
  const sources: string[] = []
  const atoms = new Map<string, SelectedAtom>()
  for (const text of items?.split(';') ?? []) {
    const names = text.split(',')
    const source = view.sources[Number(names.shift()) - 1]
    if (!source) throw new Error('an item was selected of a source that is not in view')
    for (const name of names) {
      const id = name.slice(0, ID_LENGTH)
      const type = TYPES.get(name.charAt(ID_LENGTH))
      const role = ROLE_PLACES.get(name.charAt(ID_LENGTH + 1))
      if (type === undefined || role === undefined)
        throw new Error('an item names something of an unknown type or role')
      const naming = namingOf(sources.length, role)
      const known = atoms.get(id)
      if (known) known.namings.push(naming)
      else atoms.set(id, { type, namings: [naming] })
    }
    sources.push(source.id)
  }
  return { sources, atoms }
}

export function itemsNaming({ atoms }: Selection, atomId: string): number {
  return atoms.get(atomId)?.namings.length ?? 0
}

/** How many selected items name an atom, by source; empty if none does. */
export function countIn({ sources, atoms }: Selection, atomId: string): Map<string, SourceCount> {
  const counts = new Map<string, SourceCount>()
  for (const naming of atoms.get(atomId)?.namings ?? []) {
    const source = sources[placeOf(naming)] ?? ''
    const count = counts.get(source) ?? { items: 0, authored: 0 }
    count.items += 1
    if (roleOf(naming) === 'author') count.authored += 1
    counts.set(source, count)
  }
  return counts
}

/** The atoms that most selected items name, in descending order, with their types. `among`: null: all. */
export function heaviestIn(
  { atoms }: Selection,
  among: Pick<ReadonlyMap<string, unknown>, 'has'> | null,
): [id: string, type: StoredEntityType][] {
  return [...atoms]
    .filter(([id]) => among === null || among.has(id))
    .toSorted(
      ([id, left], [other, right]) => right.namings.length - left.namings.length || (id < other ? -1 : 1),
    )
    .map(([id, { type }]) => [id, type])
}

/** The ids of all types in turn, or of a type and all others in turn, so that many of one leave room for the rest. */
export function typesInTurn(
  atoms: Iterable<readonly [id: string, type: StoredEntityType]>,
  type: EntityType | undefined,
  limit: number,
): string[] {
  const groups = Map.groupBy(atoms, ([, one]) => (type === undefined ? one : one === type))
  return interleave([...groups.values()], limit).map(([id]) => id)
}

/** Resolves atoms to entities. All items in view decide on names and identity; only selected ones are counted. */
export async function resolveWithin(
  db: Db,
  view: View,
  selection: Selection,
  ids: readonly string[],
): Promise<Entity[]> {
  const atoms = await loadAtoms(
    db,
    view,
    ids,
    async (asked) => new Map(asked.map((id) => [id, countIn(selection, id)])),
  )
  const words = wordsToWeigh([...atoms.values()])
  const counts = words.length === 0 ? new Map() : await countedInAll(db, view)(words)
  return resolveEntities(atoms.values(), ({ id }) => itemsOf(counts.get(id))).filter(
    ({ weight }) => weight > 0,
  )
}

/** Which of these nodes the selected items name together: an entry for each item that names two or more. */
export function namedTogetherIn(
  { sources, atoms: selected }: Selection,
  nodes: readonly { atoms: readonly Atom[] }[],
): Together[] {
  const together = sources.map((): number[] => [])
  for (const [node, { atoms }] of nodes.entries()) {
    for (const { id } of atoms) {
      for (const naming of selected.get(id)?.namings ?? [])
        together[placeOf(naming)]?.push(namingOf(node, naming % NAMING_ROLES.length))
    }
  }
  return together.filter((item) => item.length > 1)
}
