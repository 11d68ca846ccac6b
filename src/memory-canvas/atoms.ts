import { z } from 'zod'
import { arrayOf } from '../database/array-of.ts'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { STORED_ENTITY_TYPES, type StoredEntityType } from '../database/schema-words.ts'
import { givenNameOf, handleAlias, handleIn } from './extraction/identity.ts'
import { givenIds, inHalves, listIn, listOfTexts } from './ids.ts'
import { type PreparedInView, prepareInView } from './in-view.ts'
import type { View } from './visible-sources.ts'

/** Items of one source that name an atom, and how many of these it wrote. */
export interface SourceCount {
  items: number
  authored: number
}

export interface CountedName {
  name: string
  alias: string | null
  items: number
}

/** A name for an entity (an address, a name, a handle, a phrase), as seen in a view. Several can be one entity. */
export interface Atom {
  id: string
  type: StoredEntityType
  alias: string | null
  rank: number
  /** By source, within the view. */
  counts: Map<string, SourceCount>
  names: CountedName[]
}

const EntityRows = z.array(
  z.object({
    id: z.string(),
    type: z.enum(STORED_ENTITY_TYPES),
    alias: z.string().nullable(),
    rank: z.number(),
  }),
)
const TotalLists = z.tuple([
  z.object({
    atoms: z.string().nullable(),
    sources: z.string().nullable(),
    items: z.string().nullable(),
    authored: z.string().nullable(),
  }),
])
const NameRows = z.array(
  z.object({ entity_id: z.string(), name: z.string(), alias: z.string().nullable(), items: z.number() }),
)

/** Limit on an atom's names, by number of items. A mailbox that many people send from has a name for each of them. */
const NAMES_MAX = 50
/** Limit on the atoms that share the same names. */
const SAME_NAMED_MAX = 1_000
/** How many steps shared names are followed: from a handle to an address, to a name, to a phrase. */
const ROUNDS_MAX = 4

/** The view's sources as a value for `any($1::uuid[])`. */
export function idsInView({ sources }: View): string {
  return arrayOf(sources.map(({ id }) => id))
}

/** Items that name atoms, by source. An existing atom has an entry, empty if no counted item names it. */
export type CountsOf = (ids: readonly string[]) => Promise<ReadonlyMap<string, Map<string, SourceCount>>>

/**
 * Loads these atoms, if an item in view names them, and all atoms that may be the same because they share a
 * name.
 * @param countsOf counts the items that name them
 * @param atoms already loaded; the new ones are added
 */
export async function loadAtoms(
  db: Db,
  view: View,
  ids: Iterable<string>,
  countsOf: CountsOf,
  atoms = new Map<string, Atom>(),
): Promise<Map<string, Atom>> {
  const asked = new Set<string>()
  let missing = [...new Set(ids)].filter((id) => !atoms.has(id))
  for (let round = 0; round < ROUNDS_MAX && missing.length > 0; round++) {
    const loaded = await loadThese(db, view, missing, countsOf)
    for (const atom of loaded) atoms.set(atom.id, atom)
    const named = await findByName(db, view, namesToFollow(loaded, asked, view))
    missing = [...named].filter((id) => !atoms.has(id))
  }
  return atoms
}

const selectEntities = prepare(`
  select id, type, alias, rank from entities where organization_id = $1 and id = any($2::uuid[])`)

/** One query for all atoms takes a third of the time of a subquery for each. */
async function loadThese(db: Db, view: View, ids: readonly string[], countsOf: CountsOf): Promise<Atom[]> {
  const [entities, counts, names] = await Promise.all([
    selectEntities(db, [view.organizationId, arrayOf(ids)]),
    countsOf(ids),
    namesOf(db, view, ids),
  ])
  const atoms: Atom[] = []
  for (const { id, type, alias, rank } of EntityRows.parse(entities.rows)) {
    const counted = counts.get(id)
    const named = names.get(id) ?? []
    // An atom that lost its last item meanwhile no longer exists.
    if (counted === undefined || (named.length === 0 && type !== 'source')) continue
    atoms.push({ id, type, alias, rank, counts: counted, names: named })
  }
  return atoms
}

/** Aggregated into lists, which costs half as much as a row for each of the several counts of an atom. */
const selectTotals = prepareInView(`
  select string_agg(entity_id::text, ',') as atoms, string_agg(source_id::text, ',') as sources,
    string_agg(items::text, ',') as items, string_agg(authored::text, ',') as authored
  from entity_totals
  where organization_id = $1 and entity_id = any($2::uuid[]) and source_id = any($3::uuid[])`)

export function countedInAll(db: Db, view: View): CountsOf {
  return async (ids) => {
    const { rows } = await selectTotals(db, view, [view.organizationId, arrayOf(ids), idsInView(view)])
    const [lists] = TotalLists.parse(rows)
    const sources = listIn(lists.sources)
    const items = listIn(lists.items)
    const authored = listIn(lists.authored)
    const counts = new Map<string, Map<string, SourceCount>>()
    listIn(lists.atoms).forEach((id, place) => {
      const source = sources[place] ?? ''
      const count = { items: Number(items[place]), authored: Number(authored[place]) }
      const of = counts.get(id) ?? new Map<string, SourceCount>()
      if (of.size === 0) counts.set(id, of)
      of.set(source, count)
    })
    return counts
  }
}

const selectNames = prepareInView(`
  select entity_id, name, alias, items from (
    select entity_id, name, alias, sum(items)::int as items,
      row_number() over (partition by entity_id order by sum(items) desc, name, alias) as place
    from entity_names
    where organization_id = $1 and entity_id = any($2::uuid[]) and source_id = any($3::uuid[])
    group by entity_id, name, alias
  ) n
  where place <= ${NAMES_MAX}`)

async function namesOf(db: Db, view: View, ids: readonly string[]): Promise<Map<string, CountedName[]>> {
  const parts = await inHalves(ids, (part) =>
    selectNames(db, view, [view.organizationId, arrayOf(part), idsInView(view)]),
  )
  const names = new Map<string, CountedName[]>()
  for (const { rows } of parts) {
    for (const { entity_id: id, name, alias, items } of NameRows.parse(rows)) {
      const of = names.get(id)
      if (of) of.push({ name, alias, items })
      else names.set(id, [{ name, alias, items }])
    }
  }
  return names
}

/** Names that other atoms may share. */
interface NamesToFollow {
  aliases: Set<string>
  /** Words that may be a given name. */
  givenNames: Set<string>
}

function namesToFollow(loaded: readonly Atom[], asked: Set<string>, view: View): NamesToFollow {
  const providers = new Set(view.sources.map(({ provider }) => provider))
  const aliases = new Set<string>()
  const givenNames = new Set<string>()
  const follow = (alias: string): void => {
    if (!asked.has(alias)) aliases.add(alias)
    asked.add(alias)
  }
  const followName = ({ type }: Atom, alias: string | null): void => {
    if (alias === null) return
    follow(alias)
    if (type !== 'person' || !alias.includes(' ')) return
    follow(givenNameOf(alias))
    for (const provider of providers) follow(handleAlias(provider, alias.slice(0, alias.indexOf(' '))))
  }
  for (const atom of loaded) {
    followName(atom, atom.alias)
    for (const { alias } of atom.names) followName(atom, alias)
    const handle = atom.alias === null ? null : handleIn(atom.alias)
    if (handle !== null) givenNames.add(handle)
    if (atom.type !== 'topic' || atom.alias === null || atom.alias.includes(' ')) continue
    // A topic's alias drops a plural s, which may belong to a given name.
    givenNames.add(atom.alias).add(`${atom.alias}s`)
  }
  return { aliases, givenNames }
}

/** Atoms that have an alias through one of their names. */
const selectByAlias = prepareInView(`
  select string_agg(id::text, ',') as ids from (
    select distinct entity_id as id from entity_names
    where organization_id = $1 and alias = any($2::text[]) and source_id = any($3::uuid[])
    order by entity_id limit ${SAME_NAMED_MAX}
  ) x`)

/** People with one of these given names, looked up in the index one by one. */
const selectByGivenName = prepareInView(`
  select string_agg(id::text, ',') as ids from (
    select distinct p.entity_id as id from unnest($2::text[]) as g(name)
    cross join lateral (
      select n.entity_id from entity_names n
      where n.organization_id = $1 and split_part(n.alias, ' ', 1) = g.name and n.alias like '% %'
        and n.source_id = any($3::uuid[])
      order by n.entity_id limit ${SAME_NAMED_MAX}
    ) p
    join entities e on e.organization_id = $1 and e.id = p.entity_id and e.type = 'person'
    order by p.entity_id limit ${SAME_NAMED_MAX}
  ) x`)

async function findByName(
  db: Db,
  view: View,
  { aliases, givenNames }: NamesToFollow,
): Promise<ReadonlySet<string>> {
  const find = async (select: PreparedInView<unknown>, names: readonly string[]): Promise<string[]> => {
    if (names.length === 0) return []
    const { rows } = await select(db, view, [view.organizationId, listOfTexts(names), idsInView(view)])
    return givenIds(rows)
  }
  const [aliased, given] = await Promise.all([
    inHalves([...aliases], (part) => find(selectByAlias, part)),
    find(selectByGivenName, [...givenNames]),
  ])
  // The first ids of each half are also the first of both together.
  return new Set([...[...new Set(aliased.flat())].toSorted().slice(0, SAME_NAMED_MAX), ...given])
}
