import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { ItemChanges } from '../vector-memory/index.ts'
import type { EmbeddedItem, PreparedItems } from './prepare-items.ts'
import { deleteChunksBetween, insertChunks } from './store-chunks.ts'
import { StalePreparation, type StoreCounts, upsertItems } from './store-items.ts'

/**
 * A part of an item whose chunks are not all stored by one transaction. Until the last part is stored, the item has another hash than
 * its content has, so that whoever compares it finds that it differs and stores it anew; a hash of each stage's own, so that nobody
 * takes one stage for another.
 */
export interface ItemPart {
  item: EmbeddedItem
  /** It was not stored before, and is told with its last part, so that copies in memory do not read it again with each. */
  isNew: boolean
  /** Of the item, in hex, before this part and after it. null: it is the first part, which stores the item's row and no chunk. */
  hashBefore: string | null
  hash: string
  /** The positions whose chunks it stores, in place of those that were there: from here to before `to`. */
  from: number
  to: number
}

/** A hash that no content has. */
function newStage(): string {
  return randomUUID().replaceAll('-', '')
}

/** The same part, after which the item is not taken for stored, though it may be the last one. */
export function asUnfinished(part: ItemPart): ItemPart {
  return part.hash === part.item.hash ? { ...part, hash: newStage() } : part
}

/** More than there are positions. */
const BEYOND = 2 ** 31 - 1

/**
 * The parts of an item: its row, then its chunks.
 * @param positions how many positions have chunks, be they new or those that are replaced
 * @param size how many of these a part has at most
 */
export function partsOf(
  item: EmbeddedItem,
  { isNew, positions, size }: { isNew: boolean; positions: number; size: number },
): ItemPart[] {
  const count = Math.ceil(positions / size)
  const width = Math.ceil(positions / count)
  const stages = Array.from({ length: count }, newStage)
  return [...stages, item.hash].map((hash, n) => ({
    item,
    isNew,
    hashBefore: stages[n - 1] ?? null,
    hash,
    from: Math.max(0, n - 1) * width,
    to: n === count ? BEYOND : n * width,
  }))
}

/**
 * Stores a part of an item after those before it. The item counts with its last one.
 * @throws StalePreparation where the item is not as the part before left it
 */
export async function storePart(
  tx: Tx,
  changes: ItemChanges,
  { organizationId, modelIds, isAnew }: PreparedItems,
  { item, isNew, hashBefore, hash, from, to }: ItemPart,
  at: Date,
): Promise<StoreCounts> {
  if (hashBefore === null) {
    const written = await upsertItems(tx, { organizationId, isAnew }, [{ ...item, hash }], at)
    for (const { id, existed } of written.values()) {
      if (existed && isNew) throw new StalePreparation()
      if (existed) changes.add([id])
    }
    return { ingested: 0, skipped: 0 }
  }
  const itemId = await advance(tx, organizationId, item, { hashBefore, hash })
  await deleteChunksBetween(tx, organizationId, itemId, { from, to })
  const chunks = item.chunks.slice(from, to)
  await insertChunks(
    tx,
    { organizationId, modelIds },
    chunks.map((chunk) => ({ itemId, provider: item.provider, chunk })),
  )
  const isLast = hash === item.hash
  if (isLast || !isNew) changes.add([itemId])
  return { ingested: isLast ? 1 : 0, skipped: 0 }
}

const Advanced = z.array(z.object({ id: z.string() }))

// What the canvas has read of it is all of its text, whatever part of the chunks there is.
const advanceRow = prepare(`
  update source_items set content_sha256 = decode($5, 'hex'),
    canvas_sha256 = case when canvas_sha256 = content_sha256 then decode($5, 'hex') else canvas_sha256 end
  where organization_id = $1 and provider = $2 and external_id = $3 and content_sha256 = decode($4, 'hex')
  returning id`)

/** @returns the item's id */
async function advance(
  tx: Tx,
  organizationId: string,
  { provider, externalId }: EmbeddedItem,
  { hashBefore, hash }: { hashBefore: string; hash: string },
): Promise<string> {
  const { rows } = await advanceRow(tx, [organizationId, provider, externalId, hashBefore, hash])
  const [row] = Advanced.parse(rows)
  if (!row) throw new StalePreparation()
  return row.id
}
