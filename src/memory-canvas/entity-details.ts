import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { AppError } from '../kernel/errors.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { PROVIDERS } from '../providers/index.ts'
import { ENTITY_TYPES } from '../database/schema-words.ts'
import { idsInView } from './atoms.ts'
import { AROUND_ITEMS_MAX, findEntity } from './canvas.ts'
import { byWeight } from './graph.ts'
import { idsOf } from './ids.ts'
import { runInView } from './in-view.ts'
import type { Entity } from './resolve.ts'
import { heaviestIn, latestItems, resolveWithin, selectItems } from './selection.ts'
import { type View, viewOf } from './visible-sources.ts'
import type { EntityDetails } from './schemas.ts'

const NEIGHBOURS_MAX = 20
const ITEMS_MAX = 10
const ALIASES_MAX = 50
const SNIPPET_CHARACTERS = 240
const SNIPPET_BEFORE = 80

/** Describes an entity from the items that the viewer may read. @throws AppError `not_found`, also out of scope */
export async function describeEntity(db: Db, viewer: Viewer, id: string): Promise<EntityDetails> {
  const view = await viewOf(db, viewer)
  const entity = await findEntity(db, view, id)
  const type = ENTITY_TYPES.find((one) => one === entity?.type)
  if (!entity || type === undefined) throw noSuchEntity()
  const atomIds = entity.atoms.map((atom) => atom.id)
  const latest = await latestItems(db, view, { atomIds, since: null, limit: ITEMS_MAX })
  const { first, last } = await seenBetween(db, view, atomIds)
  return {
    entity: {
      id: entity.id,
      type,
      label: entity.label,
      aliases: entity.aliases.slice(0, ALIASES_MAX),
      weight: entity.weight,
      firstSeenAt: first.toISOString(),
      lastSeenAt: last.toISOString(),
      evidence: await findEvidence(db, view, atomIds),
    },
    neighbours: await neighboursOf(db, view, entity),
    items: await showItems(db, view, atomIds, latest),
  }
}

/** The ids of the entity's atoms in the items that the viewer may read; empty if no such item names it. */
export async function idsOfEntity(db: Db, viewer: Viewer, id: string): Promise<string[]> {
  const entity = await findEntity(db, await viewOf(db, viewer), id)
  return entity?.atoms.map((atom) => atom.id) ?? []
}

async function neighboursOf(db: Db, view: View, entity: Entity): Promise<EntityDetails['neighbours']> {
  const atomIds = entity.atoms.map((atom) => atom.id)
  const selection = await selectItems(db, view, { atomIds, since: null, limit: AROUND_ITEMS_MAX })
  const strongest = heaviestIn(selection, null)
    .slice(0, NEIGHBOURS_MAX * 3)
    .map(([id]) => id)
  return (await resolveWithin(db, view, selection, strongest))
    .flatMap(({ id, type: stored, label, weight }) => {
      const type = ENTITY_TYPES.find((one) => one === stored)
      return type === undefined || id === entity.id ? [] : [{ id, type, label, weight }]
    })
    .toSorted(byWeight)
    .slice(0, NEIGHBOURS_MAX)
}

function noSuchEntity(): AppError {
  return new AppError('not_found', 'There is no such entity on the canvas')
}

const SeenRows = z.array(z.object({ first: z.date().nullable(), last: z.date().nullable() }))

/** @throws AppError `not_found` if the last item that names it was deleted meanwhile */
async function seenBetween(
  db: Db,
  view: View,
  atomIds: readonly string[],
): Promise<{ first: Date; last: Date }> {
  const end = (order: 'asc' | 'desc') => sql`
    (select seen_at from item_entities where organization_id = ${view.organizationId} and entity_id = a.id::uuid
      and source_id = s.id::uuid order by seen_at ${sql.raw(order)} limit 1)`
  const { rows } = await runInView(
    db,
    view,
    sql`
    select min(${end('asc')}) as first, max(${end('desc')}) as last
    from json_array_elements_text(${JSON.stringify(atomIds)}::json) as a(id)
    cross join json_array_elements_text(${JSON.stringify(view.sources.map(({ id }) => id))}::json) as s(id)`,
  )
  const { first = null, last = null } = SeenRows.parse(rows)[0] ?? {}
  if (first === null || last === null) throw noSuchEntity()
  return { first, last }
}

const EvidenceRows = z.array(
  z.object({ name: z.string(), items: z.number(), item_id: z.string().nullable() }),
)

/** The latest item for each of the names, which several atoms can have. */
async function findEvidence(
  db: Db,
  view: View,
  atomIds: readonly string[],
): Promise<EntityDetails['entity']['evidence']> {
  const { rows } = await runInView(
    db,
    view,
    sql`
    select n.name, n.items, (
      select latest.source_item_id from unnest(n.atoms, n.sources) as c(atom, source)
      cross join lateral (
        select source_item_id, seen_at from item_entities
        where organization_id = ${view.organizationId} and entity_id = c.atom and source_id = c.source
          and n.name = any(names)
        order by seen_at desc, source_item_id limit 1
      ) latest
      order by latest.seen_at desc, latest.source_item_id limit 1) as item_id
    from (
      select name, sum(items)::int as items, array_agg(entity_id) as atoms, array_agg(source_id) as sources
      from entity_names
      where organization_id = ${view.organizationId} and entity_id = any ${idsOf(atomIds)} and source_id = any(${idsInView(view)}::uuid[])
      group by name order by items desc, name limit ${ALIASES_MAX}
    ) n
    order by n.items desc, n.name`,
  )
  return EvidenceRows.parse(rows).flatMap(({ name, items, item_id: sourceItemId }) =>
    sourceItemId === null ? [] : [{ name, items, sourceItemId }],
  )
}

const ItemRows = z.array(
  z.object({
    id: z.string(),
    title: z.string(),
    url: z.string().nullable(),
    provider: z.enum(PROVIDERS),
    snippet: z.string(),
    is_cut: z.boolean(),
  }),
)

/** Items for display, each with the passage around the first of the names that it contains, or else its beginning. */
async function showItems(
  db: Db,
  view: View,
  atomIds: readonly string[],
  itemIds: readonly string[],
): Promise<EntityDetails['items']> {
  const { rows } = await runInView(
    db,
    view,
    sql`
    select i.id, i.title, i.url, i.provider,
      substr(i.body, greatest(1, coalesce(p.place, 1) - ${SNIPPET_BEFORE}), ${SNIPPET_CHARACTERS}) as snippet,
      coalesce(p.place, 1) - ${SNIPPET_BEFORE} > 1 as is_cut
    from source_items i
    cross join lateral (
      select min(nullif(strpos(lower(left(i.body, 60000)), lower(name)), 0)) as place
      from item_entities m cross join unnest(m.names) as name
      where m.organization_id = ${view.organizationId} and m.source_item_id = i.id and m.entity_id = any ${idsOf(atomIds)}
    ) p
    where i.organization_id = ${view.organizationId} and i.id = any ${idsOf(itemIds)} and i.source_id = any(${idsInView(view)}::uuid[])`,
  )
  const byId = new Map(ItemRows.parse(rows).map((row) => [row.id, row]))
  return itemIds.flatMap((id) => {
    const row = byId.get(id)
    if (!row) return []
    // Drops the first word, which may be cut, unless the text has no spaces.
    const whole = row.is_cut ? row.snippet.replace(/^\S{0,40}\s/, '') : row.snippet
    const snippet = whole.replace(/\s+/g, ' ').trim()
    return [{ sourceItemId: row.id, title: row.title, url: row.url, provider: row.provider, snippet }]
  })
}
