import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import { type SnapshotOf, readPage, type RowKey, ROWS_A_PAGE } from './read-rows.ts'
import { KEY_BYTES, rowBytesOf } from './write-rows.ts'

/** Items named in one statement. */
const ITEMS_A_PAGE = 256
const ID_BYTES = 16

/** At most {@link ROWS_A_PAGE} rows as `writeRows` takes them, and the key of each. */
export interface PageOfRows {
  page: Uint8Array
  keys: readonly RowKey[]
}

export interface Reading {
  /** Starts with the row after this one. */
  after: RowKey
  /** Two buffers that pages use in alternation; without them, each page gets its own memory. */
  rooms?: readonly Uint8Array[]
  signal: AbortSignal
}

/**
 * Reads rows in key order, of all items or of the named ones, a page at a time; it yields to the event loop
 * between pages.
 * @param itemIds in ascending order
 * @throws the reason of `signal`
 */
export async function* readPages(
  db: Db,
  of: SnapshotOf,
  dimensions: number,
  itemIds: readonly string[] | null,
  { after, rooms = [], signal }: Reading,
): AsyncGenerator<PageOfRows, void> {
  let last = after
  let number = 0
  for (const some of itemIds === null ? [null] : someOf(itemIds, after)) {
    for (let isMore = true; isMore;) {
      await turn()
      signal.throwIfAborted()
      const page = decode(await readPage(db, of, last, some), rooms[number++ % 2])
      const keys = keysOf(page, dimensions)
      last = keys.at(-1) ?? last
      isMore = keys.length === ROWS_A_PAGE
      if (keys.length > 0) yield { page, keys }
    }
  }
}

/** Batches of items in the order of their ids, starting with the key's item. */
function* someOf(itemIds: readonly string[], { itemId }: RowKey): Generator<string[]> {
  const first = itemIds.findIndex((id) => id >= itemId)
  if (first < 0) return
  for (let from = first; from < itemIds.length; from += ITEMS_A_PAGE)
    yield itemIds.slice(from, from + ITEMS_A_PAGE)
}

/** Memory for a page of rows that threads can read. */
export function pageRoom(dimensions: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(ROWS_A_PAGE * rowBytesOf(dimensions)))
}

function decode(page: string, room: Uint8Array | undefined): Uint8Array {
  if (!room) return Buffer.from(page, 'base64')
  return room.subarray(0, Buffer.from(room.buffer).write(page, 'base64'))
}

function keysOf(page: Uint8Array, dimensions: number): RowKey[] {
  const rowBytes = rowBytesOf(dimensions)
  const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength)
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
