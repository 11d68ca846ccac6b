import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import type { ItemRow } from './item-facts.ts'
import { type SnapshotOf, readItems, readPage, type RowKey, ROWS_A_PAGE } from './read-rows.ts'
import { KEY_BYTES, rowBytesOf } from './write-rows.ts'

/** Items named in one statement. */
const ITEMS_A_PAGE = 256
const ID_BYTES = 16

/** At most {@link ROWS_A_PAGE} rows as `writeRows` takes them, the key of each, and the items that begin here. */
export interface PageOfRows {
  page: Uint8Array
  keys: readonly RowKey[]
  items: readonly ItemRow[]
}

const FIRST: RowKey = { itemId: '00000000-0000-0000-0000-000000000000', position: -1 }

/**
 * Reads rows in key order, of all items or of the named ones, a page at a time; it yields to the event loop
 * between pages.
 * @param itemIds in ascending order; null: all
 * @throws the reason of `signal`
 */
export async function* readPages(
  db: Db,
  of: SnapshotOf,
  dimensions: number,
  itemIds: readonly string[] | null,
  signal: AbortSignal,
): AsyncGenerator<PageOfRows, void> {
  let last = FIRST
  for (const some of itemIds === null ? [null] : batchesOf(itemIds)) {
    for (let isMore = true; isMore;) {
      await turn()
      signal.throwIfAborted()
      const page = Buffer.from(await readPage(db, of, last, some), 'base64')
      const keys = keysOf(page, dimensions)
      isMore = keys.length === ROWS_A_PAGE
      if (keys.length === 0) continue
      const begun = new Set(keys.map(({ itemId }) => itemId))
      // Rows of an item follow each other, so only the last item may continue here.
      begun.delete(last.itemId)
      last = keys.at(-1) ?? last
      yield { page, keys, items: begun.size > 0 ? await readItems(db, of.organizationId, [...begun]) : [] }
    }
  }
}

function* batchesOf(itemIds: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < itemIds.length; from += ITEMS_A_PAGE)
    yield itemIds.slice(from, from + ITEMS_A_PAGE)
}

function keysOf(bytes: Buffer, dimensions: number): RowKey[] {
  const rowBytes = rowBytesOf(dimensions)
  const keys: RowKey[] = []
  let [itemId, itemAt] = ['', -1]
  for (let at = 0; at < bytes.length; at += rowBytes) {
    if (at + rowBytes > bytes.length || bytes.readUInt16BE(at + KEY_BYTES) !== dimensions)
      throw new Error('vectors are not of the dimensions of their model')
    // Rows of an item follow each other.
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
