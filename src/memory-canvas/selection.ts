import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { prepare, type Prepared } from '../database/prepared.ts'
import { type Atom, idsInView, inView, type SourceCount } from './atoms.ts'
import { ROLES, type Role } from './extraction/identity.ts'
import { idsOf, listOfIds } from './ids.ts'
import type { View } from './visible-sources.ts'

/** Items in view that a part of the canvas is drawn from: the latest of them, so that no request reads them all. */
export type Selection = readonly string[]

const ItemRows = z.array(z.object({ source_item_id: z.string() }))

/** The latest items that name one of these atoms, changed at `since` or later. An item of a source names that source. */
export async function latestItems(
  db: Db,
  view: View,
  { atomIds, since, limit }: { atomIds: Iterable<string>; since: Date | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql`
    select m.source_item_id, max(m.seen_at) as seen_at
    from json_array_elements_text(${JSON.stringify([...atomIds])}::json) as a(id)
    cross join (${sourceList(view)}) s
    cross join lateral (
      select source_item_id, seen_at from item_entities
      where organization_id = ${view.organizationId} and entity_id = a.id::uuid and source_id = s.id
        ${since === null ? sql`` : sql`and seen_at >= ${since}`}
      order by seen_at desc, source_item_id limit ${limit}
    ) m
    group by m.source_item_id
    order by seen_at desc, m.source_item_id limit ${limit}`.execute(db)
  return ItemRows.parse(rows).map((row) => row.source_item_id)
}

const CountRows = z.array(
  z.object({ entity_id: z.string(), source_id: z.string(), items: z.number(), authored: z.number() }),
)

/** How many of the selected items name each atom that one of them names, by source. */
export async function countWithin(
  db: Db,
  view: View,
  items: Selection,
): Promise<Map<string, Map<string, SourceCount>>> {
  const { rows } = await sql`
    select entity_id, source_id, count(*)::int as items, (count(*) filter (where role = 'author'))::int as authored
    from item_entities
    where organization_id = ${view.organizationId} and source_item_id = any ${idsOf(items)} and source_id in ${inView(view)}
    group by entity_id, source_id`.execute(db)
  const counts = new Map<string, Map<string, SourceCount>>()
  for (const { entity_id: id, source_id: sourceId, items: count, authored } of CountRows.parse(rows)) {
    const of = counts.get(id) ?? new Map<string, SourceCount>()
    of.set(sourceId, { items: count, authored })
    counts.set(id, of)
  }
  return counts
}

/** The nodes that an item names, with what each is to it. */
export interface Together {
  nodes: number[]
  roles: Role[]
}

/** Where the latest items of a node are looked for: under so many of its names and sources, those of most items; of all nodes. */
const PLACES_A_NODE_MAX = 6
const PLACES_MAX = 600
/** The latest items of each place that edges are counted in, and of all places together. */
const EVIDENCE_A_PLACE = 24
const EVIDENCE_MAX = 1_200

/** One of a node's names in one source. */
interface Place {
  id: string
  source: string
}

function placesOf({ atoms }: { atoms: readonly Atom[] }, limit: number): Place[] {
  return atoms
    .flatMap(({ id, counts }) => [...counts].map(([source, { items }]) => ({ id, source, items })))
    .toSorted(
      (left, right) => right.items - left.items || (left.id + left.source < right.id + right.source ? -1 : 1),
    )
    .slice(0, limit)
    .map(({ id, source }) => ({ id, source }))
}

/** The items of a list. */
const GIVEN_ITEMS = '$4::uuid[]'

/** The latest items of each place of a list. */
const LATEST_ITEMS = `(array(
    select distinct m.source_item_id from unnest($4::uuid[], $5::uuid[]) as p(id, source)
    cross join lateral (
      select source_item_id from item_entities
      where organization_id = $1 and entity_id = p.id and source_id = p.source
      order by seen_at desc, source_item_id limit $6
    ) m))`

/**
 * The atoms of a list that an item names two or more of, as one text for all items, which is a fraction of the work of a row for each:
 * `;` between items, `,` between atoms, of each five times its place in the list and the place of its role, both from 1.
 */
function selectTogether(items: string): Prepared<unknown> {
  // Named alone first, so that the items are looked up in the index at one go, and not for each atom.
  return prepare(`
  select string_agg(codes, ';') as codes from (
    select string_agg((c.place * ${ROLES.length} + array_position(array[${ROLES.map((role) => `'${role}'`).join(', ')}], m.role))::text, ',') as codes
    from (
      select source_item_id, entity_id, role from item_entities
      where organization_id = $1 and source_item_id = any(${items}) and source_id = any($2::uuid[])
      offset 0
    ) m
    join unnest($3::uuid[]) with ordinality as c(id, place) on c.id = m.entity_id
    group by m.source_item_id having count(*) > 1
  ) x`)
}

const togetherInGiven = selectTogether(GIVEN_ITEMS)
const togetherInLatest = selectTogether(LATEST_ITEMS)

const CodeRows = z.tuple([z.object({ codes: z.string().nullable() })])

/**
 * Which of these nodes the selected items name together, an entry for each item that names two or more.
 * @param items undefined: the latest items of each node
 */
export async function namedTogether(
  db: Db,
  view: View,
  nodes: readonly { atoms: readonly Atom[] }[],
  items: Selection | undefined,
): Promise<Together[]> {
  const atoms = nodes.flatMap((of, node) => of.atoms.map(({ id }) => ({ id, node })))
  const given = [view.organizationId, idsInView(view), listOfIds(atoms.map(({ id }) => id))]
  const { rows } = await (items === undefined
    ? togetherInLatest(db, [...given, ...latestOfPlaces(nodes)])
    : togetherInGiven(db, [...given, listOfIds(items)]))
  const [{ codes }] = CodeRows.parse(rows)
  if (codes === null) return []
  return codes.split(';').map((ofItem) => {
    const together: Together = { nodes: [], roles: [] }
    for (const code of ofItem.split(',').map(Number)) {
      const atom = atoms[Math.floor((code - 1) / ROLES.length) - 1]
      const role = ROLES[(code - 1) % ROLES.length]
      if (!atom || role === undefined) throw new Error('an item names together what was not asked for')
      together.nodes.push(atom.node)
      together.roles.push(role)
    }
    return together
  })
}

/** The places that a node's latest items are looked for in, by atom and source, and how many in each. */
function latestOfPlaces(
  nodes: readonly { atoms: readonly Atom[] }[],
): [atoms: string, sources: string, each: number] {
  const fair = Math.floor(PLACES_MAX / nodes.length)
  const perNode = Math.max(1, Math.min(PLACES_A_NODE_MAX, fair))
  const places = nodes.flatMap((node) => placesOf(node, perNode))
  const each = Math.max(1, Math.min(EVIDENCE_A_PLACE, Math.floor(EVIDENCE_MAX / places.length)))
  return [listOfIds(places.map(({ id }) => id)), listOfIds(places.map(({ source }) => source)), each]
}

function sourceList({ sources }: View): RawBuilder<unknown> {
  return sql`select value::uuid as id from json_array_elements_text(${JSON.stringify(sources.map(({ id }) => id))}::json)`
}
