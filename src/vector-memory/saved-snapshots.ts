import { type FileHandle, open, readdir, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { makeFolder } from '../database/make-folder.ts'
import type { Logger } from '../kernel/logger.ts'
import { VERSION } from '../kernel/version.ts'
import { DIMENSIONS_MAX, ROWS_A_BLOCK, segmentsOf, UNIT_BYTES } from './block-layout.ts'
import { SavedItems } from './item-facts.ts'
import { NO_ITEM } from './row-table.ts'
import type { VectorSnapshot } from './vector-snapshot.ts'

/** Raise it whenever the format of a unit, an item or a piece changes. */
export const FORMAT = 3

const Head = z
  .object({
    format: z.literal(FORMAT),
    service: z.literal(VERSION),
    organizationId: z.uuid(),
    modelId: z.int(),
    dimensions: z.int().min(1).max(DIMENSIONS_MAX),
    items: z.int(),
    blocks: z.int().min(1),
    blockBytes: z.int(),
    /** The revision of the organization's items. */
    revision: z.int().min(1),
    /** Tells this revision from one with the same number in another database. */
    mark: z.string(),
  })
  .refine(({ dimensions, blockBytes }) => segmentsOf(dimensions) * UNIT_BYTES === blockBytes)
type Head = z.output<typeof Head>

/** A file that is open and already removed from its folder. The caller closes it. */
export interface SavedSnapshot {
  head: Head
  /** Fills an empty snapshot. @throws NoRoom, NotWhole, and the reason of `signal` */
  restore(snapshot: VectorSnapshot, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/**
 * Snapshots in files, between a stop and the next start. The database has everything they contain, so files
 * are not flushed: an incomplete one is detected and deleted.
 */
export interface SavedSnapshots {
  /** The organizations that have a snapshot. Removes other files from the folder. */
  list(): Promise<string[]>
  /** Opens a file and removes it, so that later deletions leave nothing on disk. null: no usable file. */
  take(organizationId: string): Promise<SavedSnapshot | null>
  /** @throws disk errors and the reason of `signal`, leaving no file */
  write(snapshot: VectorSnapshot, mark: string, signal: AbortSignal): Promise<void>
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/** The file differs from what was written. */
class NotWhole extends Error {
  constructor(reason: string) {
    super(`the file is damaged: ${reason}`)
    this.name = 'NotWhole'
  }
}

/**
 * A file has pieces: its head, the items, then the rows, block by block. Each starts with its length and its
 * CRC-32 (ISO 3309, as in gzip), 32 bits each. Length 0 ends the file.
 */
const PIECE_HEAD_BYTES = 8
/** Bounds the memory that a damaged length can request. */
const PIECE_BYTES_MAX = 16 * 2 ** 20
/** A piece takes a few milliseconds at most. */
const ITEMS_A_PIECE = 512
/** A block's piece starts with each row's item number and position. */
const KEY_WORDS = 2
const KEYS_BYTES = ROWS_A_BLOCK * KEY_WORDS * 4

const ENDING = '.vectors'
/** Fraction of the free disk space that saving leaves to the database. */
const FREE_AFTER = 2

/** Keeps snapshots in their own folder, in files that only their owner can read. */
export function createSavedSnapshots({
  folder,
  logger,
}: {
  folder: string
  logger: SavedSnapshots['logger']
}): SavedSnapshots {
  const remove = async (name: string): Promise<void> =>
    await rm(path.join(folder, name), { recursive: true, force: true })

  return {
    logger,
    async list() {
      const names = (await readdir(folder).catch(nullIfMissing)) ?? []
      const isSaved = (name: string): boolean =>
        name.endsWith(ENDING) && z.uuid().safeParse(path.basename(name, ENDING)).success
      for (const name of names) if (!isSaved(name)) await remove(name)
      return names.filter(isSaved).map((name) => path.basename(name, ENDING))
    },
    async take(organizationId) {
      const name = organizationId + ENDING
      const file = await open(path.join(folder, name), 'r').catch(nullIfMissing)
      if (file === null) return null
      let head: Head | undefined
      try {
        await remove(name)
        const pieces = readPieces(file)
        head = Head.safeParse(readJson((await pieces.next()).value)).data
        if (head?.organizationId !== organizationId) head = undefined
        const restore: SavedSnapshot['restore'] = (snapshot, signal) =>
          restorePieces(snapshot, head?.items ?? 0, pieces, signal)
        return head === undefined ? null : { head, restore, close: () => file.close() }
      } finally {
        if (head === undefined) await file.close()
      }
    },
    async write(snapshot, mark, signal) {
      await makeFolder(folder)
      const { bavail, bsize } = await statfs(folder)
      if (bavail * bsize < FREE_AFTER * snapshot.table.bytes)
        throw new Error(`${folder} has too little free space`)
      const name = snapshot.organizationId + ENDING
      const file = await open(path.join(folder, name), 'w', 0o600)
      try {
        for (const piece of piecesOf(snapshot, mark)) {
          signal.throwIfAborted()
          await file.writeFile(pieceHead(piece))
          await file.writeFile(piece)
        }
        await file.writeFile(Buffer.alloc(PIECE_HEAD_BYTES))
      } catch (error) {
        await remove(name)
        throw error
      } finally {
        await file.close()
      }
    },
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}

/** Made on demand. */
function* piecesOf(snapshot: VectorSnapshot, mark: string): Generator<Uint8Array, void> {
  const { facts, table, organizationId, modelId, revision } = snapshot
  const { dimensions, blocks } = table
  const blockBytes = table.bytes / blocks
  const items = facts.numbers
  const of = { organizationId, modelId, dimensions, items, blocks, blockBytes, revision, mark }
  yield Buffer.from(JSON.stringify({ format: FORMAT, service: VERSION, ...of } satisfies Head))
  for (let from = 0; from < items; from += ITEMS_A_PIECE)
    yield Buffer.from(JSON.stringify(facts.saved(from, from + ITEMS_A_PIECE)))
  for (let block = 0; block < blocks; block++) {
    const keys = Uint32Array.from({ length: ROWS_A_BLOCK * KEY_WORDS }, (_, at) => {
      const row = block * ROWS_A_BLOCK + Math.floor(at / KEY_WORDS)
      return at % KEY_WORDS === 0 ? table.itemOf(row) : table.positionOf(row)
    })
    yield Buffer.concat([Buffer.from(keys.buffer), ...table.bytesOf(block)])
  }
}

async function restorePieces(
  { facts, table }: VectorSnapshot,
  items: number,
  pieces: AsyncGenerator<Uint8Array, void>,
  signal: AbortSignal,
): Promise<void> {
  const free: number[] = []
  for await (const piece of pieces) {
    signal.throwIfAborted()
    if (facts.numbers < items) {
      facts.restore(SavedItems.parse(readJson(piece)))
      continue
    }
    const keys = new Uint32Array(new Uint8Array(piece.subarray(0, KEYS_BYTES)).buffer)
    for (let at = 0; at < keys.length; at += KEY_WORDS) {
      const item = keys[at] ?? NO_ITEM
      if (item !== NO_ITEM) facts.addRows(item, 1)
      const row = table.add(item, keys[at + 1] ?? 0)
      if (item === NO_ITEM) free.push(row)
    }
    let from = KEYS_BYTES
    for (const unit of table.bytesOf(table.blocks - 1)) {
      unit.set(piece.subarray(from, from + unit.length))
      from += unit.length
    }
  }
  // Only now, so that rows keep their places.
  for (const row of free) table.free(row)
}

/** The parsed JSON; undefined: not JSON. */
function readJson(piece: Uint8Array | void): unknown {
  try {
    return JSON.parse(Buffer.from(piece ?? []).toString('utf8'))
  } catch {
    return undefined
  }
}

function pieceHead(piece: Uint8Array): Buffer {
  if (piece.length === 0 || piece.length > PIECE_BYTES_MAX) throw new Error('a piece is empty or too long')
  const head = Buffer.alloc(PIECE_HEAD_BYTES)
  head.writeUInt32LE(piece.length, 0)
  head.writeUInt32LE(crc32(piece), 4)
  return head
}

/**
 * Reads a file's pieces one at a time.
 * @throws NotWhole
 */
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
