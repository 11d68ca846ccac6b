import { type FileHandle, open, readdir, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { makeFolder } from '../database/make-folder.ts'
import { VERSION } from '../kernel/version.ts'
import { DIMENSIONS_MAX, layoutOf } from './block-layout.ts'
import type { Logger } from '../kernel/logger.ts'

/** Raise it whenever the format of a block, an item or a piece changes. */
export const FORMAT = 2

const SavedHead = z.object({
  organizationId: z.uuid(),
  modelId: z.int(),
  dimensions: z.int().min(1).max(DIMENSIONS_MAX),
  blocks: z.int().min(1),
  /** The revision of the organization's items. */
  revision: z.int().min(1),
  /** Tells this revision from one with the same number in another database. */
  mark: z.string(),
})

export type SavedHead = z.output<typeof SavedHead>

const Head = SavedHead.extend({
  format: z.literal(FORMAT),
  service: z.literal(VERSION),
  blockBytes: z.int(),
}).refine(({ dimensions, blockBytes }) => layoutOf(dimensions).blockBytes === blockBytes)

/** A file that is open and already removed from its folder. The caller closes it. */
export interface SavedSnapshot {
  head: SavedHead
  /** What `VectorSnapshot` wrote, in order. */
  pieces: AsyncGenerator<Uint8Array, void>
  close(): Promise<void>
}

/**
 * Snapshots in files, between a stop and the next start. The database has everything they contain, so files
 * are not flushed: an incomplete one is detected and deleted.
 */
export interface SavedSnapshots {
  /** The organizations that have a snapshot. Removes other files from the folder. */
  list(): Promise<string[]>
  /** Reads a file's head; if this version cannot use the file, removes it and returns null. */
  peek(organizationId: string): Promise<SavedHead | null>
  /** Opens a file and removes it, so that later deletions leave nothing on disk. null: no usable file. */
  take(organizationId: string): Promise<SavedSnapshot | null>
  remove(organizationId: string): Promise<void>
  /** @throws disk errors and the reason of `signal`, leaving no file */
  write(head: SavedHead, pieces: Iterable<Uint8Array>, signal: AbortSignal): Promise<void>
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/** The file differs from what was written. */
export class NotWhole extends Error {
  constructor(reason: string) {
    super(`the file is damaged: ${reason}`)
    this.name = 'NotWhole'
  }
}

/**
 * Each piece starts with its length and its CRC-32 (ISO 3309, as in gzip), 32 bits each. Length 0 ends the
 * file.
 */
const HEAD_BYTES = 8
/** Bounds the memory that a damaged length can request. */
const PIECE_BYTES_MAX = 16 * 2 ** 20

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
  const fileOf = (organizationId: string): string => path.join(folder, organizationId + ENDING)
  const remove = async (organizationId: string): Promise<void> => {
    await rm(fileOf(organizationId), { recursive: true, force: true })
  }

  return {
    logger,
    remove,
    async list() {
      const found: string[] = []
      for (const name of await namesIn(folder)) {
        const organizationId = z.uuid().safeParse(path.basename(name, ENDING)).data
        if (organizationId !== undefined && name === organizationId + ENDING) found.push(organizationId)
        else await rm(path.join(folder, name), { recursive: true, force: true })
      }
      return found
    },
    async peek(organizationId) {
      const file = await openIfThere(fileOf(organizationId))
      if (file === null) return null
      const head = await readHead(readPieces(file), organizationId).finally(() => file.close())
      if (head === null) await remove(organizationId)
      return head
    },
    async take(organizationId) {
      const file = await openIfThere(fileOf(organizationId))
      if (file === null) return null
      let head: SavedHead | null = null
      const pieces = readPieces(file)
      try {
        await remove(organizationId)
        head = await readHead(pieces, organizationId)
      } finally {
        if (head === null) await file.close()
      }
      return head && { head, pieces, close: () => file.close() }
    },
    async write(head, pieces, signal) {
      const { blockBytes } = layoutOf(head.dimensions)
      await makeFolder(folder)
      await checkSpace(folder, FREE_AFTER * head.blocks * blockBytes)
      const file = await open(fileOf(head.organizationId), 'w', 0o600)
      try {
        const said = { ...head, format: FORMAT, service: VERSION, blockBytes }
        await writePieces(file, withFirst(Buffer.from(JSON.stringify(said)), pieces), signal)
      } catch (error) {
        await remove(head.organizationId)
        throw error
      } finally {
        await file.close()
      }
    },
  }
}

function* withFirst(first: Uint8Array, others: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield first
  yield* others
}

/** null: another version, another organization, or a damaged file. */
async function readHead(
  pieces: AsyncGenerator<Uint8Array, void>,
  organizationId: string,
): Promise<SavedHead | null> {
  const first = await pieces.next().catch((error: unknown) => {
    if (error instanceof NotWhole) return null
    throw error
  })
  if (first === null || first.done) return null
  const head = Head.safeParse(parsed(first.value)).data
  return head?.organizationId === organizationId ? head : null
}

/** The parsed JSON; undefined: not JSON. */
function parsed(piece: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(piece).toString('utf8'))
  } catch {
    return undefined
  }
}

async function checkSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < bytes) throw new Error(`there is less than ${bytes} bytes of room in ${folder}`)
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder)
    .catch(nullIfMissing)
    .then((names) => names ?? [])
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  return await open(file, 'r').catch(nullIfMissing)
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}

/**
 * Writes pieces with their checksums, then the end mark.
 * @throws file errors, and the reason of `signal`
 */
async function writePieces(
  file: FileHandle,
  pieces: Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for (const piece of pieces) {
    signal.throwIfAborted()
    await file.writeFile(headOf(piece))
    await file.writeFile(piece)
  }
  await file.writeFile(Buffer.alloc(HEAD_BYTES))
}

function headOf(piece: Uint8Array): Buffer {
  if (piece.length === 0 || piece.length > PIECE_BYTES_MAX) throw new Error('a piece is empty or too long')
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(piece.length, 0)
  head.writeUInt32LE(crc32(piece), 4)
  return head
}

/**
 * Reads a file's pieces one at a time; each is valid until the next is requested.
 * @throws NotWhole
 */
async function* readPieces(file: FileHandle): AsyncGenerator<Uint8Array, void> {
  const head = new Uint8Array(HEAD_BYTES)
  const view = new DataView(head.buffer)
  let room = new Uint8Array(0)
  for (;;) {
    await fill(file, head)
    const length = view.getUint32(0, true)
    if (length === 0) return
    if (length > PIECE_BYTES_MAX) throw new NotWhole('a piece is too long')
    if (room.length < length) room = new Uint8Array(length)
    const piece = room.subarray(0, length)
    await fill(file, piece)
    if (crc32(piece) !== view.getUint32(4, true)) throw new NotWhole('a checksum differs')
    yield piece
  }
}

async function fill(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at)
    if (bytesRead === 0) throw new NotWhole('it ends too soon')
    at += bytesRead
  }
}
