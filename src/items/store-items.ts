import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Tx } from '../database/database.ts'
import { inSizedParts } from '../kernel/in-parts.ts'
import { prepare } from '../database/prepared.ts'
import { adoptModel, lockModelsForWriting, readModelState } from '../models/index.ts'
import type { ItemChanges } from '../item-changes/index.ts'
import { type CleanItem, ITEM_COLUMNS, itemKey } from './item.ts'
import {
  checkStored,
  type EmbeddedItem,
  findStoredItems,
  inKeyOrder,
  isMoved,
  isStoredAs,
  itemsOf,
  policyOf,
  type PreparedItems,
  StalePreparation,
} from './prepare-items.ts'
import { type ChunkRow, deleteChunks, insertChunks } from './store-chunks.ts'

export interface StoreCounts {
  /** New, changed and moved items, and items stored again by a full resync. */
  ingested: number
  /** Items with the same stored content. */
  skipped: number
}

/** Attempts to prepare items that other requests keep changing. */
const PREPARATIONS_MAX = 8

/** Retries `act`, which prepares and stores, while the preparation is stale. @throws what the last attempt threw */
export async function untilFresh<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof StalePreparation) || attempt === PREPARATIONS_MAX) throw error
    }
  }
}

/** Limits per statement. The event loop is free between statements. */
const STATEMENT = { count: 100, size: 250_000 }

/**
 * Writes prepared items with their chunks and vectors, and replaces those of changed items. An item that
 * arrives under another source of its provider moves there; one with the same content is confirmed. They are
 * searchable once the transaction commits.
 * @throws StalePreparation if the transaction must be rolled back and the items prepared again; what the check throws
 */
export async function storeItems(
  tx: Tx,
  changes: ItemChanges,
  prepared: PreparedItems,
  syncedAt: Date,
): Promise<StoreCounts> {
  const items = inKeyOrder(itemsOf(prepared))
  if (items.length === 0) return { ingested: 0, skipped: 0 }
  await lockModelsForWriting(tx, prepared.organizationId)
  await requireSameModels(tx, prepared)
  const stored = await findStoredItems(tx, prepared.organizationId, items, true)
  checkStored(prepared, stored)
  return await storeKnown(tx, changes, { ...prepared, stored }, syncedAt)
}

/** Requires that the organization's models are those of the preparation. @throws StalePreparation */
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

/** Like `storeItems`, when models match and `prepared.stored` is current. @throws StalePreparation */
export async function storeKnown(
  tx: Tx,
  changes: ItemChanges,
  prepared: PreparedItems,
  syncedAt: Date,
): Promise<StoreCounts> {
  const { organizationId, unchanged, changed, stored, isAnew } = prepared
  const items = inKeyOrder(itemsOf(prepared))
  if (!unchanged.every((item) => isStoredAs(stored, item))) throw new StalePreparation()
  const differing = isAnew ? changed : changed.filter((item) => !isStoredAs(stored, item))
  const isWritten = new Set<CleanItem>(differing)
  const same = items.filter((item) => !isWritten.has(item))
  const refer = (item: CleanItem): ItemRef => ({
    id: stored.get(itemKey(item))?.id ?? '',
    sourceId: item.sourceId,
    policyId: policyOf(prepared, item),
  })
  const moved = same.filter((item) => isMoved(stored, item)).map(refer)
  const confirmed = same.filter((item) => !isMoved(stored, item)).map(refer)
  await moveItems(tx, organizationId, moved, syncedAt)
  await confirmItems(tx, organizationId, confirmed, syncedAt)
  const written = await upsertItems(tx, prepared, differing, syncedAt)
  await replaceChunks(tx, prepared, differing, written)
  changes.add([...moved, ...confirmed, ...written.values()].map(({ id }) => id))
  const ingested = moved.length + written.size
  return { ingested, skipped: items.length - ingested }
}

interface ItemRef {
  id: string
  sourceId: string
  policyId: number
}

/** Records the confirmation time and access policy. Searches show the time, so the items count as changed. */
async function confirmItems(
  tx: Tx,
  organizationId: string,
  confirmed: readonly ItemRef[],
  at: Date,
): Promise<void> {
  if (confirmed.length === 0) return
  await sql`
    update source_items i set synced_at = ${at}, policy_id = c."policyId"
    from json_to_recordset(${JSON.stringify(confirmed)}::json) as c(id uuid, "policyId" int)
    where i.organization_id = ${organizationId} and i.id = c.id`.execute(tx)
}

/** Their content is the same, so `updated_at` stays. The canvas counts them again for their new source. */
async function moveItems(tx: Tx, organizationId: string, moved: readonly ItemRef[], at: Date): Promise<void> {
  if (moved.length === 0) return
  await sql`
    update source_items i set source_id = m."sourceId", policy_id = m."policyId", synced_at = ${at}, canvas_sha256 = null
    from json_to_recordset(${JSON.stringify(moved)}::json) as m(id uuid, "sourceId" uuid, "policyId" int)
    where i.organization_id = ${organizationId} and i.id = m.id`.execute(tx)
}

export interface WrittenRow {
  id: string
  /** Whether it was stored before, so that it may have chunks to replace. */
  existed: boolean
}

const UpsertedRows = z.array(z.object({ id: z.string(), provider: z.string(), externalId: z.string() }))

const columns = Object.entries(ITEM_COLUMNS)
const names = columns.map(([, { name }]) => name)
const values = columns.map(([field, { value }]) => value ?? `r."${field}"`)
const updates = columns
  .filter(([, { isKey }]) => isKey !== true)
  .map(([, { name }]) => `${name} = excluded.${name}`)

const upserting = `
  insert into source_items (organization_id, id, ${names.join(', ')}, policy_id, synced_at, created_at, updated_at)
  select $1::uuid, r.id, ${values.join(', ')}, r."policyId", $3::timestamptz, $3, coalesce(r."unchangedSince", $3)
  from json_to_recordset($2::json) as r(n int, "unchangedSince" timestamptz, "policyId" int, id uuid,
    ${columns.map(([field, { type }]) => `"${field}" ${type}`).join(', ')})
  order by r.n
  on conflict (organization_id, provider, external_id) do update set ${updates.join(', ')},
    canvas_sha256 = case when (source_items.content_sha256, source_items.source_id)
      is distinct from (excluded.content_sha256, excluded.source_id) then null else source_items.canvas_sha256 end,
    policy_id = excluded.policy_id, synced_at = excluded.synced_at, updated_at = excluded.updated_at`
const returning = 'returning id, provider, external_id as "externalId"'

// Two statements instead of a parameter in `where`: Citus refuses parameters in what it sends on after `on conflict`.
const upsertDiffering = prepare(`${upserting}
  where (source_items.content_sha256, source_items.source_id, source_items.policy_id)
    is distinct from (excluded.content_sha256, excluded.source_id, excluded.policy_id)
  ${returning}`)
const upsertAll = prepare(`${upserting} ${returning}`)

/** Inserts or overwrites items; `isAnew`: also with the same content. @returns the rows by key that it wrote */
export async function upsertItems(
  tx: Tx,
  { organizationId, isAnew, policies }: Pick<PreparedItems, 'organizationId' | 'isAnew' | 'policies'>,
  items: readonly EmbeddedItem[],
  at: Date,
): Promise<Map<string, WrittenRow>> {
  const written = new Map<string, WrittenRow>()
  for (const batch of inSizedParts(items, charactersOf, STATEMENT)) {
    await setImmediate()
    const rows = batch.map((given, n) => {
      const { chunks: _, ...item } = given
      return Object.assign(item, { n, id: randomUUID(), policyId: policyOf({ policies }, item) })
    })
    const newIds = new Map(rows.map((row) => [itemKey(row), row.id]))
    const upsert = isAnew ? upsertAll : upsertDiffering
    const { rows: upserted } = await upsert(tx, [organizationId, JSON.stringify(rows), at])
    for (const row of UpsertedRows.parse(upserted)) {
      const key = itemKey(row)
      const newId = newIds.get(key)
      if (newId === undefined) throw new Error('the database answered with an item that it was not given')
      written.set(key, { id: row.id, existed: row.id !== newId })
    }
  }
  return written
}

const charactersOf = ({ body, metadataJson }: EmbeddedItem): number => body.length + metadataJson.length

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
