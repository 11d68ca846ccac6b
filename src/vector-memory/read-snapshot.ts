import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { ITEM_ROW_COLUMNS, ItemRow } from './search-filter.ts'
import { KEY_BYTES, rowBytesOf } from '../vector-scan/index.ts'
import { inParts } from '../kernel/in-parts.ts'

export interface SnapshotOf {
  organizationId: string
  modelId: number
  dimensions: number
}

/** Identifies a chunk within its organization. */
export interface ChunkKey {
  itemId: string
  position: number
}

/** Rows per statement. The embedded database has one session, which other requests wait for. */
const ROWS_A_PAGE = 256
const ITEMS_A_PAGE = 256
const ID_BYTES = 16
/** The limit of changed items' IDs, in characters: with more, rebuilding is cheaper. */
const IDS_CHARACTERS_MAX = 800_000

const Counted = z.tuple([z.object({ rows: z.number() })])
const Revision = z.array(z.object({ revision: z.number() }))
const Mark = z.array(z.object({ mark: z.string() }))
const Changes = z.array(
  z.object({
    head: z.number().nullable(),
    model: z.number().nullable(),
    removed: z.array(z.string()),
    revision: z.number().nullable(),
    item_ids: z.string().nullable(),
  }),
)
const Page = z.tuple([z.object({ rows: z.string().nullable() })])
const Ids = z.array(z.string())
const ItemRows = z.array(ItemRow)

export interface ChangesSince {
  revision: number
  /** The sources being removed at this revision. Setting or clearing the removal mark adds a revision. */
  removedSourceIds: readonly string[]
  /** null: the snapshot can't be updated, because of too many changes, too old a revision, or another active model. */
  itemIds: ReadonlySet<string> | null
}

/** The latest revision of an organization's items; 0: none yet. */
export async function readRevision(db: Db, organizationId: string): Promise<number> {
  const { rows } = await sql`
    select r.revision::float8 as revision from item_revisions r where r.organization_id = ${organizationId}`.execute(
    db,
  )
  return Revision.parse(rows)[0]?.revision ?? 0
}

export async function readChanges(
  db: Db,
  { organizationId, modelId }: SnapshotOf,
  since: number,
): Promise<ChangesSince> {
  const { rows } = await sql`
    select r.revision::float8 as head, o.embedding_model_id as model,
      array(select s.id from sources s where s.organization_id = ${organizationId} and s.removed_at is not null)::text[] as removed,
      c.revision::float8 as revision,
      case when sum(octet_length(c.item_ids)) over () <= ${IDS_CHARACTERS_MAX} then c.item_ids end as item_ids
    from organizations o
    left join item_revisions r on r.organization_id = o.id
    left join item_changes c on c.organization_id = o.id and c.revision > ${since}
    where o.id = ${organizationId}`.execute(db)
  const changes = Changes.parse(rows)
  const [first] = changes
  const revision = first?.head ?? 0
  const lists = changes.flatMap((change) => (change.revision === null ? [] : [change.item_ids]))
  const isWhole = first?.model === modelId && lists.length === revision - since && !lists.includes(null)
  const ids = isWhole ? lists.flatMap((list) => Ids.parse(JSON.parse(list ?? '[]'))) : null
  return { revision, removedSourceIds: first?.removed ?? [], itemIds: ids && new Set(ids) }
}

/** A mark of a revision across databases and migrations; null: unrecorded, another model, or being removed. */
export async function readMark(
  db: Db,
  { organizationId, modelId }: SnapshotOf,
  revision: number,
): Promise<string | null> {
  const { rows } = await sql`
    select md5(concat_ws(' ', (select max(m.name) from kysely_migration m), c.xmin, c.item_ids)) as mark
    from item_changes c
    join organizations o on o.id = c.organization_id and o.embedding_model_id = ${modelId} and o.removed_at is null
    where c.organization_id = ${organizationId} and c.revision = ${revision}`.execute(db)
  return Mark.parse(rows)[0]?.mark ?? null
}

/** The organizations that exist and are not being removed. */
export async function existingOrganizations(
  db: Db,
  organizationIds: readonly string[],
): Promise<Set<string>> {
  if (organizationIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', [...organizationIds])
    .where('removed_at', 'is', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export async function countRows(db: Db, { organizationId, modelId }: SnapshotOf): Promise<number> {
  const { rows } = await sql`
    select count(*)::int as rows from chunk_embeddings e
    where e.organization_id = ${organizationId} and e.embedding_model_id = ${modelId}`.execute(db)
  return Counted.parse(rows)[0].rows
}

/** One base64 value for all rows: both drivers handle one large value far faster than many small ones. */
const ROWS = `encode(string_agg(uuid_send(e.source_item_id) || int4send(e.position) || halfvec_send(e.embedding), ''::bytea), 'base64') as rows`

// Item by item and in order, so that no query plan reads all rows of the organization and the statement stops at a full
// page.
const readPage = prepare(`
  select ${ROWS} from (
    select e.source_item_id, e.position, e.embedding
    from (
      select g.id::uuid as id from json_array_elements_text($5::json) as g(id)
      where g.id::uuid >= $3::uuid order by 1
    ) i
    cross join lateral (
      select e.source_item_id, e.position, e.embedding from chunk_embeddings e
      where e.organization_id = $1 and e.embedding_model_id + 0 = $2 and e.source_item_id = i.id
        and (e.source_item_id, e.position) > ($3::uuid, $4::int)
      order by e.position limit ${ROWS_A_PAGE}
    ) e
    order by i.id, e.position limit ${ROWS_A_PAGE}
  ) e`)

const selectItems = prepare(`
  select ${ITEM_ROW_COLUMNS} from json_array_elements_text($2::json) as g(id)
  cross join lateral (
    select f.* from source_items f where f.organization_id = $1 and f.id = g.id::uuid limit 1) f`)

const selectItemsAfter = prepare(`
  select ${ITEM_ROW_COLUMNS} from source_items f where f.organization_id = $1 and f.id > $2::uuid
  order by f.id limit ${ITEMS_A_PAGE}`)

/** At most {@link ROWS_A_PAGE} rows in the format of `writeRows`, their keys, and the items that begin here. */
export interface PageOfRows {
  page: Uint8Array
  keys: readonly ChunkKey[]
  items: readonly ItemRow[]
}

const FIRST: ChunkKey = { itemId: '00000000-0000-0000-0000-000000000000', position: -1 }

/** Reads rows by page in key order, of all items or of `itemIds`. @throws the signal's reason */
export async function* readPages(
  db: Db,
  of: SnapshotOf,
  itemIds: readonly string[] | null,
  signal: AbortSignal,
): AsyncGenerator<PageOfRows, void> {
  let last = FIRST
  for await (let items of readItems(db, of.organizationId, itemIds)) {
    const ids = JSON.stringify(items.map(({ id }) => id))
    for (let isMore = true; isMore; items = []) {
      await setImmediate()
      signal.throwIfAborted()
      const { rows } = await readPage(db, [of.organizationId, of.modelId, last.itemId, last.position, ids])
      const page = Buffer.from(Page.parse(rows)[0].rows ?? '', 'base64')
      const keys = keysOf(page, of.dimensions)
      isMore = keys.length === ROWS_A_PAGE
      last = keys.at(-1) ?? last
      yield { page, keys, items }
    }
  }
}

/** Omits items that no longer exist. */
async function* readItems(
  db: Db,
  organizationId: string,
  itemIds: readonly string[] | null,
): AsyncGenerator<ItemRow[], void> {
  if (itemIds === null) {
    let last: string | undefined = FIRST.itemId
    while (last !== undefined) {
      const items: ItemRow[] = ItemRows.parse((await selectItemsAfter(db, [organizationId, last])).rows)
      if (items.length > 0) yield items
      last = items.at(-1)?.id
    }
    return
  }
  for (const ids of inParts(itemIds, ITEMS_A_PAGE))
    yield ItemRows.parse((await selectItems(db, [organizationId, JSON.stringify(ids)])).rows)
}

function keysOf(bytes: Buffer, dimensions: number): ChunkKey[] {
  const rowBytes = rowBytesOf(dimensions)
  const keys: ChunkKey[] = []
  let [itemId, itemAt] = ['', -1]
  for (let at = 0; at < bytes.length; at += rowBytes) {
    if (at + rowBytes > bytes.length || bytes.readUInt16BE(at + KEY_BYTES) !== dimensions)
      throw new Error('vectors are not of the dimensions of their model')
    // The rows of an item are adjacent.
    if (itemAt < 0 || bytes.compare(bytes, itemAt, itemAt + ID_BYTES, at, at + ID_BYTES) !== 0)
      [itemId, itemAt] = [uuidAt(bytes, at), at]
    keys.push({ itemId, position: bytes.readInt32BE(at + ID_BYTES) })
  }
  return keys
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + ID_BYTES)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
