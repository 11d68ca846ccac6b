import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { type Atom, inView, type SourceCount } from './atoms.ts'
import { ROLES, type Role } from './extraction/identity.ts'
import { idsOf } from './ids.ts'
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

const TogetherRows = z.array(z.object({ nodes: z.array(z.number()), roles: z.array(z.enum(ROLES)) }))

/** The nodes that an item names, with what each is to it. */
export interface Together {
  nodes: number[]
  roles: Role[]
}

/** Where the latest items of a node are looked for: under so many of its names and sources, those of most items; of all nodes. */
const PLACES_A_NODE_MIN = 2
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
  const chosen = nodes.flatMap(({ atoms }, node) => atoms.map(({ id }) => ({ id, node })))
  const evidence = items === undefined ? latestOfPlaces(view, nodes) : idsOf(items)
  // Named alone first, so that the items are looked up in the index at one go, and not for each node.
  const { rows } = await sql`
    select array_agg(c.node) as nodes, array_agg(m.role) as roles
    from (
      select source_item_id, entity_id, role from item_entities
      where organization_id = ${view.organizationId} and source_item_id = any ${evidence}
        and source_id in ${inView(view)}
      offset 0
    ) m
    join json_to_recordset(${JSON.stringify(chosen)}::json) as c(id uuid, node int) on c.id = m.entity_id
    group by m.source_item_id having count(*) > 1`.execute(db)
  return TogetherRows.parse(rows)
}

function latestOfPlaces(view: View, nodes: readonly { atoms: readonly Atom[] }[]): RawBuilder<unknown> {
  const fair = Math.floor(PLACES_MAX / nodes.length)
  const perNode = Math.max(PLACES_A_NODE_MIN, Math.min(PLACES_A_NODE_MAX, fair))
  const places = nodes.flatMap((node) => placesOf(node, perNode))
  const each = Math.max(1, Math.min(EVIDENCE_A_PLACE, Math.floor(EVIDENCE_MAX / places.length)))
  return sql`(array(
    select distinct m.source_item_id from json_to_recordset(${JSON.stringify(places)}::json) as p(id uuid, source uuid)
    cross join lateral (
      select source_item_id from item_entities
      where organization_id = ${view.organizationId} and entity_id = p.id and source_id = p.source
      order by seen_at desc, source_item_id limit ${each}
    ) m))`
}

function sourceList({ sources }: View): RawBuilder<unknown> {
  return sql`select value::uuid as id from json_array_elements_text(${JSON.stringify(sources.map(({ id }) => id))}::json)`
}
