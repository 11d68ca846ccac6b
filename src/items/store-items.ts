import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { adoptModel, lockModelsForWriting, readModelState } from '../embeddings/index.ts'
import type { ItemChanges } from '../vector-memory/index.ts'
import { confirmItems } from './confirm-items.ts'
import { type CleanItem, itemKey } from './item.ts'
import {
  type EmbeddedItem,
  findStoredItems,
  inKeyOrder,
  type PreparedItems,
  type StoredItem,
} from './prepare-items.ts'
import { type ChunkRow, deleteChunks, insertChunks } from './store-chunks.ts'

export interface StoreCounts {
  /** New items, changed items, items that moved to another source, and those ingested anew. */
  ingested: number
  /** Items whose stored content is the same. */
  skipped: number
}

/** What was prepared does not fit any more: prepare again and store that. Nothing of the transaction may be kept. */
export class StalePreparation extends Error {
  constructor() {
    super('the stored items or models changed while these were prepared')
    this.name = 'StalePreparation'
  }
}

/** How often items are prepared anew because others changed the same ones meanwhile. */
const PREPARATIONS_MAX = 8

/** Does what prepares and stores, and again where what was prepared is stale. @throws what the last attempt threw */
export async function untilFresh<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof StalePreparation) || attempt === PREPARATIONS_MAX) throw error
    }
  }
}

/** Of one statement. Between statements other work of the process gets its turn. */
const ITEMS_A_STATEMENT = 100
const CHARACTERS_A_STATEMENT = 250_000

/**
 * Writes prepared items with their chunks and vectors, and replaces those of items that changed. An item that comes
 * again under another source of its provider moves there; one with the same content is confirmed. On the transaction's
 * commit they are searchable.
 * @throws StalePreparation when the transaction has to be given up and the items prepared again.
 */
export async function storeItems(
  tx: Tx,
  changes: ItemChanges,
  prepared: PreparedItems,
  syncedAt: Date,
): Promise<StoreCounts> {
  const items = inKeyOrder([...prepared.unchanged, ...prepared.changed])
  if (items.length === 0) return { ingested: 0, skipped: 0 }
  await lockModelsForWriting(tx, prepared.organizationId)
  await requireSameModels(tx, prepared)
  const stored = await findStoredItems(tx, prepared.organizationId, items, true)
  return await storeKnown(tx, changes, prepared, stored, syncedAt)
}

/** Whether an organization's models are those that items were prepared with. @throws StalePreparation */
export async function requireSameModels(
  tx: Tx,
  { organizationId, modelIds, targetModelId }: PreparedItems,
): Promise<void> {
  const state = await readModelState(tx, organizationId)
  if ((state.target?.id ?? null) !== targetModelId) throw new StalePreparation()
  const [modelId = 0] = modelIds
  const active = state.active?.id ?? (await adoptModel(tx, organizationId, modelId))
  if (active !== modelId) throw new StalePreparation()
}

/**
 * `storeItems` where the models are the same and nobody can change what is stored.
 * @param stored the items among these that are stored
 * @throws StalePreparation
 */
export async function storeKnown(
  tx: Tx,
  changes: ItemChanges,
  prepared: PreparedItems,
  stored: ReadonlyMap<string, StoredItem>,
  syncedAt: Date,
): Promise<StoreCounts> {
  const { organizationId, unchanged, changed } = prepared
  const items = inKeyOrder([...unchanged, ...changed])
  const isStored = (item: CleanItem): boolean => stored.get(itemKey(item))?.hash === item.hash
  if (!unchanged.every(isStored)) throw new StalePreparation()
  const differing = prepared.isAnew ? changed : changed.filter((item) => !isStored(item))
  const isWritten = new Set<CleanItem>(differing)
  const same = items.filter((item) => !isWritten.has(item))
  const { moved, confirmed } = compareSources(same, stored)
  await moveItems(tx, organizationId, moved, syncedAt)
  await confirmItems(tx, changes, { organizationId, ids: confirmed, at: syncedAt })
  const written = await upsertItems(tx, prepared, differing, syncedAt)
  await replaceChunks(tx, prepared, differing, written)
  changes.add(moved.map(({ id }) => id))
  changes.add([...written.values()].map(({ id }) => id))
  const ingested = moved.length + written.size
  return { ingested, skipped: items.length - ingested }
}

/** Which items come from another source than they are stored under, and which from the same one. */
function compareSources(
  items: readonly CleanItem[],
  stored: ReadonlyMap<string, StoredItem>,
): { moved: { id: string; sourceId: string }[]; confirmed: string[] } {
  const moved: { id: string; sourceId: string }[] = []
  const confirmed: string[] = []
  for (const item of items) {
    const before = stored.get(itemKey(item))
    if (!before) continue
    if (before.sourceId === item.sourceId) confirmed.push(before.id)
    else moved.push({ id: before.id, sourceId: item.sourceId })
  }
  return { moved, confirmed }
}

/** Their content is the same, so `updated_at` stays; the canvas counts them anew, for their new source. */
async function moveItems(
  tx: Tx,
  organizationId: string,
  moved: readonly { id: string; sourceId: string }[],
  at: Date,
): Promise<void> {
  if (moved.length === 0) return
  await sql`
    update source_items i set source_id = m."sourceId", synced_at = ${at}, canvas_sha256 = null
    from json_to_recordset(${JSON.stringify(moved)}::json) as m(id uuid, "sourceId" uuid)
    where i.organization_id = ${organizationId} and i.id = m.id`.execute(tx)
}

/** The row of an item that was written. */
interface WrittenRow {
  id: string
  /** It was stored before, so that it has chunks to replace. */
  existed: boolean
}

const UpsertedRows = z.array(z.object({ id: z.string(), provider: z.string(), externalId: z.string() }))

const upsertRows = prepare(`
  insert into source_items (organization_id, id, provider, external_id, source_id, source_kind, title, body, url,
    author_name, source_created_at, source_updated_at, metadata, content_sha256, synced_at, created_at, updated_at)
  select $1::uuid, r.id, r.provider, r."externalId", r."sourceId", r."sourceKind", r.title, r.body, r.url,
    r."authorName", r."sourceCreatedAt", r."sourceUpdatedAt", r."metadataJson"::jsonb, decode(r.hash, 'hex'),
    $3::timestamptz, $3, coalesce(r."unchangedSince", $3)
  from json_to_recordset($2::json) as r(n int, "unchangedSince" timestamptz, id uuid, provider text, "externalId" text,
    "sourceId" uuid, "sourceKind" text, title text, body text, url text, "authorName" text,
    "sourceCreatedAt" timestamptz, "sourceUpdatedAt" timestamptz, "metadataJson" text, hash text)
  order by r.n
  on conflict (organization_id, provider, external_id) do update set
    source_id = excluded.source_id, source_kind = excluded.source_kind, title = excluded.title,
    body = excluded.body, url = excluded.url, author_name = excluded.author_name,
    source_created_at = excluded.source_created_at, source_updated_at = excluded.source_updated_at,
    metadata = excluded.metadata, content_sha256 = excluded.content_sha256,
    canvas_sha256 = case when (source_items.content_sha256, source_items.source_id)
      is distinct from (excluded.content_sha256, excluded.source_id) then null else source_items.canvas_sha256 end,
    synced_at = excluded.synced_at, updated_at = excluded.updated_at
  where $4::boolean or (source_items.content_sha256, source_items.source_id)
    is distinct from (excluded.content_sha256, excluded.source_id)
  returning id, provider, external_id as "externalId"`)

/**
 * Inserts or overwrites items, with `isAnew` those of the same content too.
 * @returns their rows by key; one that another transaction just stored with the same content is left out
 */
export async function upsertItems(
  tx: Tx,
  { organizationId, isAnew }: Pick<PreparedItems, 'organizationId' | 'isAnew'>,
  items: readonly EmbeddedItem[],
  at: Date,
): Promise<Map<string, WrittenRow>> {
  const written = new Map<string, WrittenRow>()
  for (const batch of batchesOf(items)) {
    await turn()
    const rows = batch.map((item, n) => Object.assign(columnsOf(item), { n, id: randomUUID() }))
    const newIds = new Map(rows.map((row) => [itemKey(row), row.id]))
    const { rows: upserted } = await upsertRows(tx, [organizationId, JSON.stringify(rows), at, isAnew])
    for (const row of UpsertedRows.parse(upserted)) {
      const key = itemKey(row)
      const newId = newIds.get(key)
      if (newId === undefined) throw new Error('the database answered with an item that it was not given')
      written.set(key, { id: row.id, existed: row.id !== newId })
    }
  }
  return written
}

/** What goes into the item's own row. */
function columnsOf(item: EmbeddedItem): Omit<EmbeddedItem, 'chunks'> {
  const { chunks: _, ...columns } = item
  return columns
}

function* batchesOf(items: readonly EmbeddedItem[]): Generator<EmbeddedItem[]> {
  let batch: EmbeddedItem[] = []
  let characters = 0
  for (const item of items) {
    batch.push(item)
    characters += item.body.length + item.metadataJson.length
    if (batch.length < ITEMS_A_STATEMENT && characters < CHARACTERS_A_STATEMENT) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

async function replaceChunks(
  tx: Tx,
  { organizationId, modelIds }: PreparedItems,
  items: readonly EmbeddedItem[],
  written: ReadonlyMap<string, WrittenRow>,
): Promise<void> {
  const replaced = [...written.values()].filter(({ existed }) => existed).map(({ id }) => id)
  if (replaced.length > 0) await deleteChunks(tx, organizationId, replaced)
  const rows = items.flatMap((item) => {
    const row = written.get(itemKey(item))
    return row
      ? item.chunks.map((chunk): ChunkRow => ({ itemId: row.id, provider: item.provider, chunk }))
      : []
  })
  await insertChunks(tx, { organizationId, modelIds }, rows)
}
