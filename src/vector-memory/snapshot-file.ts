import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { parseJson } from '../kernel/parse-json.ts'
import { VERSION } from '../kernel/version.ts'
import { blockBytesOf, SCAN_DIMENSIONS_MAX, NO_ITEM, ROWS_A_BLOCK } from '../vector-scan/index.ts'
import { SavedItems } from './item-fields.ts'
import type { VectorSnapshot } from './vector-snapshot.ts'

/** A snapshot's file: a head, the items, then rows by block, each with its length and CRC-32. Length 0 ends it. */

/** Increase this whenever the format or the meaning of a unit, an item, or a part changes. */
export const FORMAT = 6

const Head = z
  .object({
    format: z.literal(FORMAT),
    service: z.literal(VERSION),
    organizationId: z.uuid(),
    modelId: z.int(),
    dimensions: z.int().min(1).max(SCAN_DIMENSIONS_MAX),
    items: z.int(),
    blocks: z.int().min(1),
    blockBytes: z.int(),
    /** The revision of the organization's items. */
    revision: z.int().min(1),
    /** Distinguishes this revision from one with the same number in another database. */
    mark: z.string(),
  })
  .refine(({ dimensions, blockBytes }) => blockBytesOf(dimensions) === blockBytes)
type Head = z.output<typeof Head>

/** The file is damaged or incomplete. */
class NotWhole extends Error {
  constructor(reason: string) {
    super(`the file is damaged: ${reason}`)
    this.name = 'NotWhole'
  }
}

const PIECE_HEAD_BYTES = 8
/** Limits the memory that a corrupt length can request. */
const PIECE_BYTES_MAX = 16 * 2 ** 20
/** Keeps the time to write one part to a few milliseconds. */
const ITEMS_A_PIECE = 512
/** A block's part starts with the item number and position of each row. */
const KEY_WORDS = 2
const KEYS_BYTES = ROWS_A_BLOCK * KEY_WORDS * 4

/** @throws disk errors and the reason of `signal` */
export async function writeSnapshot(
  file: FileHandle,
  snapshot: VectorSnapshot,
  mark: string,
  signal: AbortSignal,
): Promise<void> {
  for (const piece of piecesOf(snapshot, mark)) {
    signal.throwIfAborted()
    const head = Buffer.alloc(PIECE_HEAD_BYTES)
    head.writeUInt32LE(piece.length, 0)
    head.writeUInt32LE(crc32(piece), 4)
    await file.writeFile(head)
    await file.writeFile(piece)
  }
  await file.writeFile(Buffer.alloc(PIECE_HEAD_BYTES))
}

/** Generated on demand. */
function* piecesOf(snapshot: VectorSnapshot, mark: string): Generator<Uint8Array, void> {
  const { fields, table, organizationId, modelId, revision } = snapshot
  const { dimensions, blocks } = table
  const items = fields.numbers
  const of = { organizationId, modelId, dimensions, items, blocks, blockBytes: blockBytesOf(dimensions) }
  yield Buffer.from(
    JSON.stringify({ format: FORMAT, service: VERSION, ...of, revision, mark } satisfies Head),
  )
  for (let from = 0; from < items; from += ITEMS_A_PIECE)
    yield Buffer.from(JSON.stringify(fields.saved(from, from + ITEMS_A_PIECE)))
  for (let block = 0; block < blocks; block++) {
    const keys = Uint32Array.from({ length: ROWS_A_BLOCK * KEY_WORDS }, (_, at) => {
      const row = block * ROWS_A_BLOCK + Math.floor(at / KEY_WORDS)
      return at % KEY_WORDS === 0 ? table.itemOf(row) : table.positionOf(row)
    })
    yield Buffer.concat([Buffer.from(keys.buffer), ...table.bytesOf(block)])
  }
}

/** Opens a snapshot's file. @returns null for another format or organization @throws NotWhole */
export async function readSnapshot(
  file: FileHandle,
  organizationId: string,
): Promise<{ head: Head; restore: (snapshot: VectorSnapshot, signal: AbortSignal) => Promise<void> } | null> {
  const pieces = readPieces(file)
  const { value } = await pieces.next()
  const head = Head.safeParse(value && readJson(value)).data
  if (head?.organizationId !== organizationId) return null
  return { head, restore: (snapshot, signal) => restorePieces(snapshot, head.items, pieces, signal) }
}

/** Fills an empty snapshot. @throws NoRoom, NotWhole, and the reason of `signal` */
async function restorePieces(
  { fields, table }: VectorSnapshot,
  items: number,
  pieces: AsyncGenerator<Uint8Array, void>,
  signal: AbortSignal,
): Promise<void> {
  const free: number[] = []
  for await (const piece of pieces) {
    signal.throwIfAborted()
    if (fields.numbers < items) {
      fields.restore(SavedItems.parse(readJson(piece)))
      continue
    }
    const keys = new Uint32Array(new Uint8Array(piece.subarray(0, KEYS_BYTES)).buffer)
    for (let at = 0; at < keys.length; at += KEY_WORDS) {
      const item = keys[at] ?? NO_ITEM
      const row = table.add(item, keys[at + 1] ?? 0)
      if (item === NO_ITEM) free.push(row)
      else fields.addRows(item, 1)
    }
    let from = KEYS_BYTES
    for (const unit of table.bytesOf(table.blocks - 1)) {
      unit.set(piece.subarray(from, from + unit.length))
      from += unit.length
    }
  }
  // Freed last, so that rows keep their positions.
  for (const row of free) table.free(row)
}

const readJson = (piece: Uint8Array): unknown => parseJson(Buffer.from(piece).toString('utf8'))

async function* readPieces(file: FileHandle): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const head = await read(file, PIECE_HEAD_BYTES)
    const length = head.readUInt32LE(0)
    if (length === 0) return
    if (length > PIECE_BYTES_MAX) throw new NotWhole('a piece is too long')
    const piece = await read(file, length)
    if (crc32(piece) !== head.readUInt32LE(4)) throw new NotWhole('a checksum differs')
    yield piece
  }
}

async function read(file: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length;) {
    const { bytesRead } = await file.read(bytes, at, length - at)
    if (bytesRead === 0) throw new NotWhole('it ends too soon')
    at += bytesRead
  }
  return bytes
}
