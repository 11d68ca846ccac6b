import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { inSizedParts } from '../kernel/in-parts.ts'
import { exactTime } from '../database/list-page.ts'
import { decodeCursor, encodeCursor, type ListName, type ListPlace } from '../kernel/list-cursor.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { idsOfEntity } from '../memory-canvas/index.ts'
import { mayBeRead } from '../permissions/index.ts'
import { providersOf } from '../providers/index.ts'
import { ListedRow, toListedSourceItem } from './schemas.ts'
import { LISTED_COLUMNS } from './item.ts'
import { contains, inOrder, newestItems, timeOf } from './newest-items.ts'
import {
  ACCESS_CLASSES,
  type AccessClass,
  type BrowsedItem,
  type BrowsePage,
  type BrowseQuery,
  COUNTED_MAX,
} from './console-schemas.ts'

/** The maximum that one request reads to find `q`; the next request continues there. */
const SEARCHED = { itemsAtOnce: 250, bytesAtOnce: 4 * 1024 * 1024, rounds: 4 }

const Places = z.array(z.object({ id: z.string(), at: z.string(), bytes: z.number() }))
const Rows = z.array(ListedRow.extend({ changed_at: z.date(), is_file: z.boolean() }))
const Counted = z.tuple([z.object({ total: z.int() })])

/** The mark of an imported file (`files.ts` and the command line). */
const IS_FILE = sql`(i.url is null and i.metadata ? 'fileType' and i.metadata ? 'path')`

/** A page of the items that the viewer may read, by default the latest first. @throws AppError `validation_failed` */
export async function browseItems(
  db: Db,
  viewer: Viewer,
  query: BrowseQuery,
  bounds = SEARCHED,
): Promise<BrowsePage> {
  const { q, cursor, origin, connectorId, sourceKind, updatedAfter, updatedBefore, access, entityId } = query
  const filters = [q, origin, connectorId, sourceKind, updatedAfter, updatedBefore, access, entityId]
  const list: ListName = [viewer.organizationId, 'browse', ...filters, query.by, query.order]
  const place = cursor === undefined ? null : decodeCursor(list, cursor)
  const named = entityId === undefined ? [] : [await namesEntity(db, viewer, entityId)]
  const chosen: Chosen = { viewer, query, conditions: [...conditionsOf(viewer, query), ...named] }
  const { rows, next } =
    q === undefined ? await readPage(db, chosen, place) : await searchText(db, chosen, place, { q, bounds })
  return {
    items: rows.map(toBrowsedItem),
    nextCursor: next === null ? null : encodeCursor(list, next),
    total: q === undefined && place === null ? await countItems(db, chosen) : null,
  }
}

function toBrowsedItem(row: z.output<typeof Rows>[number]): BrowsedItem {
  return { ...toListedSourceItem(row), changedAt: row.changed_at.toISOString(), isFile: row.is_file }
}

interface Chosen {
  viewer: Viewer
  query: BrowseQuery
  /** On item `i`, in addition to the source, its provider and the kind. */
  conditions: readonly RawBuilder<unknown>[]
}

/** A row with its place in the list, which an item that changes meanwhile leaves. */
type PlacedRow = z.output<typeof Rows>[number] & ListPlace

interface Found {
  rows: PlacedRow[]
  next: ListPlace | null
}

function providerOf({ origin }: BrowseQuery): ProviderId | undefined {
  return origin === 'files' ? undefined : origin
}

function conditionsOf(
  { organizationId }: Viewer,
  { origin, updatedAfter, updatedBefore, access }: BrowseQuery,
): RawBuilder<unknown>[] {
  const changedAt = timeOf('changed')
  const conditions: RawBuilder<unknown>[] = []
  if (origin !== undefined) conditions.push(origin === 'files' ? IS_FILE : sql`not ${IS_FILE}`)
  if (updatedAfter !== undefined) conditions.push(sql`${changedAt} >= ${new Date(updatedAfter)}`)
  if (updatedBefore !== undefined) conditions.push(sql`${changedAt} < ${new Date(updatedBefore)}`)
  if (access !== undefined) conditions.push(hasAccess(organizationId, access))
  return conditions
}

/** Items that name this entity, among those the canvas has read. */
async function namesEntity(db: Db, viewer: Viewer, entityId: string): Promise<RawBuilder<unknown>> {
  const ids = await idsOfEntity(db, viewer, entityId)
  if (ids.length === 0) return sql`false`
  return sql`i.id in (select n.source_item_id from item_entities n
    where n.organization_id = ${viewer.organizationId} and n.entity_id in (${sql.join(ids)}))`
}

/** Items whose widest reader is of this class. */
function hasAccess(organizationId: string, access: AccessClass): RawBuilder<unknown> {
  const allowing = sql`select p.policy_id from access_policy_principals p
    where p.organization_id = ${organizationId} and not p.denies`
  if (access === 'nobody') return sql`coalesce(i.policy_id not in (${allowing}), true)`
  return sql`i.policy_id in (${allowing} group by p.policy_id having ${ACCESS_CLASSES.indexOf(access)}::int = min(
    case when p.principal in ('everyone', 'member') then 0 when p.principal like 'source:%' then 1 else 2 end))`
}

/** At most `limit` items after a place, with the size of their texts, uncompressed. */
async function readPlaces(
  db: Db,
  { viewer, query, conditions }: Chosen,
  place: ListPlace | null,
  limit: number,
): Promise<z.output<typeof Places>> {
  const { connectorId, sourceKind, by, order = 'newest' } = query
  const provider = providerOf(query)
  const newest = newestItems(viewer, {
    provider,
    connectorId,
    sourceKind,
    conditions,
    by,
    order,
    place,
    limit,
  })
  const { rows } = await sql`
    select n.id, ${exactTime(sql`n.at`)} as at, i.bytes
    from (${newest}) n
    cross join lateral (
      select octet_length(body) as bytes from source_items
      where organization_id = ${viewer.organizationId} and id = n.id limit 1
    ) i
    order by ${inOrder(sql`n.at`, sql`n.id`, order)}`.execute(db)
  return Places.parse(rows)
}

async function readPage(db: Db, chosen: Chosen, place: ListPlace | null): Promise<Found> {
  const { query } = chosen
  const places = await readPlaces(db, chosen, place, query.limit + 1)
  const page = places.slice(0, query.limit)
  const isLast = page.length === places.length
  return {
    rows: await readRows(db, chosen, page),
    next: isLast ? null : (page.at(-1) ?? null),
  }
}

/** Reads a bounded number of texts, so a page can have fewer items than asked for, or none. */
async function searchText(
  db: Db,
  chosen: Chosen,
  place: ListPlace | null,
  { q, bounds }: { q: string; bounds: typeof SEARCHED },
): Promise<Found> {
  const { query } = chosen
  const matches = sql`and (${contains('i.title', q)} or ${contains('i.external_id', q)} or ${contains('i.body', q)})`
  const found: PlacedRow[] = []
  let from = place
  for (let round = 0; round < bounds.rounds; round += 1) {
    const places = await readPlaces(db, chosen, from, bounds.itemsAtOnce + 1)
    const most = { count: bounds.itemsAtOnce, size: bounds.bytesAtOnce }
    const [batch = []] = inSizedParts(places, ({ bytes }) => bytes, most)
    found.push(...(await readRows(db, chosen, batch, matches)))
    const isEnd = batch.length === places.length
    if (found.length > query.limit) {
      const page = found.slice(0, query.limit)
      return { rows: page, next: page.at(-1) ?? null }
    }
    from = batch.at(-1) ?? from
    if (isEnd) return { rows: found, next: null }
    if (found.length === query.limit) break
  }
  return { rows: found, next: from }
}

/** In the order of the places. */
async function readRows(
  db: Db,
  { viewer: { organizationId } }: Chosen,
  places: z.output<typeof Places>,
  matches = sql``,
): Promise<PlacedRow[]> {
  if (places.length === 0) return []
  const columns = sql.join(LISTED_COLUMNS.map((name) => sql.ref(`i.${name}`)))
  const { rows } = await sql`
    select i.id, i.updated_at, i.synced_at, ${columns}, ${timeOf('changed')} as changed_at, ${IS_FILE} as is_file
    from source_items i
    where i.organization_id = ${organizationId} and i.id in (${sql.join(places.map(({ id }) => id))}) ${matches}
    `.execute(db)
  const byId = new Map(Rows.parse(rows).map((row) => [row.id, row]))
  return places.flatMap(({ id, at }) => {
    const row = byId.get(id)
    return row === undefined ? [] : [{ ...row, at }]
  })
}

async function countItems(db: Db, { viewer, query, conditions }: Chosen): Promise<number> {
  const { organizationId, readable } = viewer
  const { connectorId, sourceKind } = query
  const provider = providerOf(query)
  const all = [
    sql`i.organization_id = ${organizationId}`,
    sql`i.provider in (${sql.join([...providersOf(viewer)])})`,
    mayBeRead(readable, 'policy_id'),
    ...(provider === undefined ? [] : [sql`i.provider = ${provider}`]),
    ...(connectorId === undefined ? [] : [sql`i.source_id = ${connectorId}`]),
    ...(sourceKind === undefined ? [] : [sql`i.source_kind = ${sourceKind}`]),
    ...conditions,
  ]
  const { rows } = await sql`
    select count(*)::int as total from (
      select i.id from source_items i
      join sources s on s.organization_id = i.organization_id and s.id = i.source_id and s.removed_at is null
      where ${sql.join(all, sql` and `)} limit ${COUNTED_MAX}
    ) i`.execute(db)
  const [{ total }] = Counted.parse(rows)
  return total
}
