import { z } from 'zod'
import { arrayOf } from '../database/array-of.ts'
import type { Db } from '../database/database.ts'
import { type Atom, countedInAll, idsInView, loadAtoms, type SourceCount } from './atoms.ts'
import { NAMING_ROLES } from './extraction/identity.ts'
import { prepareInView } from './in-view.ts'
import { type Entity, itemsOf, resolveEntities, wordsToWeigh } from './resolve.ts'
import { namingOf, placeOf, roleOf, type Together } from './co-occurrences.ts'
import type { View } from './visible-sources.ts'

/** The items in view for a part of the canvas, with all that they name. */
export interface Selection {
  sources: readonly string[]
  /** By atom, the items that name it: each item's index with the role (`namingOf`). */
  namings: ReadonlyMap<string, readonly number[]>
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
 * What the latest items name, as one text, a fraction of the work of a row for each. Items are separated by
 * `;`. Each has the 1-based index of its source, then for every atom the id followed by the role, separated
 * by `,`.
 */
const selectNamings = prepareInView(`
  select string_agg(source || ',' || names, ';') as items from (
    select array_position($2::uuid[], source_id) as source, string_agg(entity_id || role, ',') as names
    from item_entities
    where organization_id = $1 and source_item_id = any(array(${LATEST})) and source_id = any($2::uuid[])
    group by source_item_id, source_id
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
const ROLE_PLACES = new Map<string, number>(NAMING_ROLES.map((role, place) => [role, place]))
const NamingRows = z.tuple([z.object({ items: z.string().nullable() })])

/** The latest items in view that name one of the atoms, with what else they name. */
export async function selectItems(db: Db, view: View, selecting: Selecting): Promise<Selection> {
  const { rows } = await selectNamings(db, view, valuesOf(view, selecting))
  const [{ items }] = NamingRows.parse(rows)
  const sources: string[] = []
  const namings = new Map<string, number[]>()
  for (const text of items?.split(';') ?? []) {
    const names = text.split(',')
    const source = view.sources[Number(names.shift()) - 1]
    if (!source) throw new Error('an item was selected of a source that is not in view')
    for (const name of names) {
      const id = name.slice(0, ID_LENGTH)
      const role = ROLE_PLACES.get(name.slice(ID_LENGTH))
      if (role === undefined) throw new Error('an item names something with an unknown role')
      const naming = namingOf(sources.length, role)
      const known = namings.get(id)
      if (known) known.push(naming)
      else namings.set(id, [naming])
    }
    sources.push(source.id)
  }
  return { sources, namings }
}

export function itemsNaming({ namings }: Selection, atomId: string): number {
  return namings.get(atomId)?.length ?? 0
}

/** How many selected items name an atom, by source; empty if none does. */
export function countIn({ sources, namings }: Selection, atomId: string): Map<string, SourceCount> {
  const counts = new Map<string, SourceCount>()
  for (const naming of namings.get(atomId) ?? []) {
    const source = sources[placeOf(naming)] ?? ''
    const count = counts.get(source) ?? { items: 0, authored: 0 }
    count.items += 1
    if (roleOf(naming) === 'author') count.authored += 1
    counts.set(source, count)
  }
  return counts
}

/** The atoms that most selected items name. @param among null: all */
export function heaviestIn(selection: Selection, among: ReadonlySet<string> | null, limit: number): string[] {
  return [...selection.namings.keys()]
    .filter((id) => among === null || among.has(id))
    .map((id) => ({ id, items: itemsNaming(selection, id) }))
    .toSorted((left, right) => right.items - left.items || (left.id < right.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id }) => id)
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
  { sources, namings }: Selection,
  nodes: readonly { atoms: readonly Atom[] }[],
): Together[] {
  const together = sources.map((): number[] => [])
  for (const [node, { atoms }] of nodes.entries()) {
    for (const { id } of atoms) {
      for (const naming of namings.get(id) ?? [])
        together[placeOf(naming)]?.push(namingOf(node, naming % NAMING_ROLES.length))
    }
  }
  return together.filter((item) => item.length > 1)
}
