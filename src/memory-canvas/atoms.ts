import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import type { StoredEntityType } from '../database/schema.ts'
import { givenNameOf } from './extraction/identity.ts'
import type { View } from './visible-sources.ts'

/** How many items of one source name something, and how many of these it wrote. */
export interface SourceCount {
  items: number
  authored: number
}

export interface CountedName {
  name: string
  alias: string | null
  items: number
}

/** What a text can name (an address, a name, a handle, a phrase), as the view has it. Several may be one entity. */
export interface Atom {
  id: string
  type: StoredEntityType
  alias: string | null
  rank: number
  /** By source, of those in view. */
  counts: Map<string, SourceCount>
  names: CountedName[]
}

export const ENTITY_TYPES = ['person', 'organization', 'channel', 'topic'] as const
export type EntityType = (typeof ENTITY_TYPES)[number]
export const STORED_TYPES = [...ENTITY_TYPES, 'source'] as const

const AtomRows = z.array(
  z.object({
    id: z.string(),
    type: z.enum(STORED_TYPES),
    alias: z.string().nullable(),
    rank: z.number(),
    /** Source, items and those that it wrote. */
    counts: z.array(z.tuple([z.string(), z.number(), z.number()])),
    /** Name, alias and items, an entry for each source. */
    names: z.array(z.tuple([z.string(), z.string().nullable(), z.number()])).nullable(),
  }),
)
const IdRows = z.array(z.object({ id: z.string() }))

/** More that go by the same names are not looked at. */
const SAME_NAMED_MAX = 1_000
/** How far what goes by the same name is followed: from a handle to an address, to a name, to a phrase. */
const ROUNDS_MAX = 4

/** The sources of a view as a list for `in`; the view has at least one. */
export function inView({ sources }: View): RawBuilder<unknown> {
  return sql`(${sql.join(sources.map(({ id }) => id))})`
}

/** Ids as a list for `in`. */
export function idsOf(ids: Iterable<string>): RawBuilder<unknown> {
  return sql`(select value::uuid from json_array_elements_text(${JSON.stringify([...ids])}::json))`
}

/** These atoms, where something in view names them, and all that may be the same as one of them: what goes by one of their names. */
export async function loadAtoms(db: Db, view: View, ids: Iterable<string>): Promise<Map<string, Atom>> {
  const wanted = [...ids]
  return wanted.length === 0 ? new Map() : await loadAtomsOf(db, view, idsOf(wanted))
}

/** The same of the atoms that a subquery finds, so that one statement does both. */
export async function loadAtomsOf(
  db: Db,
  view: View,
  among: RawBuilder<unknown>,
): Promise<Map<string, Atom>> {
  const atoms = new Map<string, Atom>()
  const asked = new Set<string>()
  for (let round = 0, wanted = among; round < ROUNDS_MAX; round++) {
    const loaded = await loadThese(db, view, wanted)
    for (const atom of loaded) atoms.set(atom.id, atom)
    const named = await findByName(db, view, namesToFollow(loaded, asked))
    const missing = named.filter((id) => !atoms.has(id))
    if (missing.length === 0) break
    wanted = idsOf(missing)
  }
  return atoms
}

async function loadThese(db: Db, view: View, among: RawBuilder<unknown>): Promise<Atom[]> {
  const { rows } = await sql`
    select e.id, e.type, e.alias, e.rank, t.counts, n.names
    from entities e
    cross join lateral (
      select json_agg(json_build_array(source_id, items, authored)) as counts from entity_totals
      where organization_id = ${view.organizationId} and entity_id = e.id and source_id in ${inView(view)}
    ) t
    cross join lateral (
      select json_agg(json_build_array(name, alias, items)) as names from entity_names
      where organization_id = ${view.organizationId} and entity_id = e.id and source_id in ${inView(view)}
    ) n
    where e.organization_id = ${view.organizationId} and e.id in ${among} and t.counts is not null`.execute(
    db,
  )
  return AtomRows.parse(rows).map(({ id, type, alias, rank, counts, names }) => ({
    id,
    type,
    alias,
    rank,
    counts: new Map(counts.map(([sourceId, items, authored]) => [sourceId, { items, authored }])),
    names: overSources(names ?? []),
  }))
}

function overSources(names: readonly [string, string | null, number][]): CountedName[] {
  const all = new Map<string, CountedName>()
  for (const [name, alias, items] of names) {
    const known = all.get(name)
    if (known) all.set(name, { name, alias: known.alias ?? alias, items: known.items + items })
    else all.set(name, { name, alias, items })
  }
  return [...all.values()]
}

/** Names by which others may be the same. */
interface NamesToFollow {
  aliases: Set<string>
  /** Words that may be somebody's given name. */
  givenNames: Set<string>
}

function namesToFollow(loaded: readonly Atom[], asked: Set<string>): NamesToFollow {
  const aliases = new Set<string>()
  const givenNames = new Set<string>()
  const follow = (alias: string): void => {
    if (!asked.has(alias)) aliases.add(alias)
    asked.add(alias)
  }
  for (const atom of loaded) {
    for (const { alias } of [atom, ...atom.names]) {
      if (alias === null) continue
      follow(alias)
      const isFullName = atom.type === 'person' && alias.includes(' ')
      if (isFullName) follow(givenNameOf(alias))
    }
    if (atom.type !== 'topic' || atom.alias === null || atom.alias.includes(' ')) continue
    // A topic's name is without the s of a plural, which a given name may end with.
    givenNames.add(atom.alias).add(`${atom.alias}s`)
  }
  return { aliases, givenNames }
}

async function findByName(db: Db, view: View, { aliases, givenNames }: NamesToFollow): Promise<string[]> {
  if (aliases.size === 0 && givenNames.size === 0) return []
  const given = textsOf(aliases)
  const { rows } = await sql`
    (select id from entities where organization_id = ${view.organizationId} and alias in ${given} order by id limit ${SAME_NAMED_MAX})
    union
    (select distinct entity_id from entity_names
    where organization_id = ${view.organizationId} and alias in ${given} and source_id in ${inView(view)}
    order by entity_id limit ${SAME_NAMED_MAX})
    ${givenNames.size === 0 ? sql`` : sql`union ${calledBy(view, givenNames)}`}`.execute(db)
  return IdRows.parse(rows).map((row) => row.id)
}

/** The people with one of these given names, each looked up by its index. */
function calledBy(view: View, givenNames: ReadonlySet<string>): RawBuilder<unknown> {
  return sql`
    (select distinct p.entity_id from json_array_elements_text(${JSON.stringify([...givenNames])}::json) as g(name)
    cross join lateral (
      select n.entity_id from entity_names n
      where n.organization_id = ${view.organizationId} and split_part(n.alias, ' ', 1) = g.name and n.alias like '% %'
        and n.source_id in ${inView(view)}
      order by n.entity_id limit ${SAME_NAMED_MAX}
    ) p
    join entities e on e.organization_id = ${view.organizationId} and e.id = p.entity_id and e.type = 'person'
    order by p.entity_id limit ${SAME_NAMED_MAX})`
}

function textsOf(texts: Iterable<string>): RawBuilder<unknown> {
  return sql`(select value from json_array_elements_text(${JSON.stringify([...texts])}::json))`
}
