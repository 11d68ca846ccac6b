import { z } from 'zod'
import { ROWS_A_BLOCK } from './block-layout.ts'
import { type ItemFacts, SavedItems } from './item-facts.ts'
import { NotWhole } from './pieces.ts'
import type { RowTable } from './row-table.ts'
import { NO_ITEM } from './scan.ts'

export interface SnapshotParts {
  facts: ItemFacts
  table: RowTable
}

const WORD = 4
/** A piece of rows starts with each row's item number and position; the blocks follow. */
const KEY_WORDS = 2
const KEYS_BYTES = ROWS_A_BLOCK * KEY_WORDS * WORD
/** Size of one write or read: a millisecond or less, a few for items. */
const PIECE_BYTES = 2 ** 20
const ITEMS_A_PIECE = 512

/** The items, then the rows, for {@link restorePieces}. Pieces are made on demand. */
export function* piecesOf({ facts, table }: SnapshotParts): Generator<Uint8Array, void> {
  const items = facts.numbers
  yield Buffer.from(JSON.stringify({ items }))
  for (let from = 0; from < items; from += ITEMS_A_PIECE)
    yield Buffer.from(JSON.stringify(facts.saved(from, from + ITEMS_A_PIECE)))
  const blocks = table.blocks.length
  const atOnce = Math.max(1, Math.floor(PIECE_BYTES / table.layout.blockBytes))
  for (let from = 0; from < blocks; from += atOnce)
    yield blocksPiece(table, from, Math.min(from + atOnce, blocks))
}

function blocksPiece(table: RowTable, from: number, to: number): Uint8Array {
  const rows = (to - from) * ROWS_A_BLOCK
  const keys = new Uint32Array(rows * KEY_WORDS)
  for (let row = 0; row < rows; row++) {
    const at = from * ROWS_A_BLOCK + row
    keys[row * KEY_WORDS] = table.itemOf(at)
    keys[row * KEY_WORDS + 1] = table.positionOf(at)
  }
  const { blockBytes } = table.layout
  const piece = new Uint8Array(keys.byteLength + (to - from) * blockBytes)
  piece.set(new Uint8Array(keys.buffer))
  for (let block = from; block < to; block++)
    piece.set(table.bytesOf(block), keys.byteLength + (block - from) * blockBytes)
  return piece
}

const SavedCount = z.object({ items: z.int() })

/**
 * Restores into an empty snapshot what `piecesOf` produced.
 * @throws NoRoom, NotWhole, what the pieces throw, and the reason of `signal`
 */
export async function restorePieces(
  { facts, table }: SnapshotParts,
  pieces: AsyncGenerator<Uint8Array, void>,
  signal: AbortSignal,
): Promise<void> {
  const next = async (): Promise<Uint8Array | null> => {
    signal.throwIfAborted()
    const { done, value } = await pieces.next()
    return done ? null : value
  }
  const { items } = SavedCount.parse(readJson(await next()))
  while (facts.numbers < items) facts.restore(SavedItems.parse(readJson(await next())))
  for (let piece = await next(); piece !== null; piece = await next()) restoreBlocks({ facts, table }, piece)
}

function readJson(piece: Uint8Array | null): unknown {
  if (piece === null) throw new NotWhole('it ends before its rows')
  return JSON.parse(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('utf8'))
}

function restoreBlocks({ facts, table }: SnapshotParts, piece: Uint8Array): void {
  const { blockBytes } = table.layout
  const count = piece.length / (KEYS_BYTES + blockBytes)
  if (!Number.isInteger(count)) throw new NotWhole('a piece has parts of blocks')
  const keys = new Uint32Array(piece.slice(0, count * KEYS_BYTES).buffer)
  for (let index = 0; index < count; index++) {
    const from = count * KEYS_BYTES + index * blockBytes
    table.addBlock().set(piece.subarray(from, from + blockBytes))
  }
  for (let at = 0; at < keys.length; at += KEY_WORDS) {
    const row = table.nextRow()
    const item = keys[at] ?? NO_ITEM
    if (item === NO_ITEM) table.free(row)
    else if (facts.idOf(item) === '') throw new NotWhole('a row is of no item')
    else {
      table.assign(row, item, keys[at + 1] ?? 0)
      facts.addRows(item, 1)
    }
  }
}
