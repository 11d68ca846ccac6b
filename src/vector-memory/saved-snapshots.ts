import { type FileHandle, open, readdir, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../database/make-folder.ts'
import { VERSION } from '../kernel/version.ts'
import { DIMENSIONS_MAX, layoutOf } from './block-layout.ts'
import { NotWhole, readPieces, writePieces } from './pieces.ts'
import type { Logger } from '../kernel/logger.ts'

/** Goes up whenever a block, what is known of an item, or a piece looks different. */
export const FORMAT = 2

const SavedHead = z.object({
  organizationId: z.uuid(),
  modelId: z.int(),
  dimensions: z.int().min(1).max(DIMENSIONS_MAX),
  blocks: z.int().min(1),
  /** Of the organization's items. */
  revision: z.int().min(1),
  /** What tells this revision from one of the same number in another database. */
  mark: z.string(),
})

/** What a file says of the snapshot that it holds. */
export type SavedHead = z.output<typeof SavedHead>

const Head = SavedHead.extend({
  format: z.literal(FORMAT),
  service: z.literal(VERSION),
  blockBytes: z.int(),
}).refine(({ dimensions, blockBytes }) => layoutOf(dimensions).blockBytes === blockBytes)

/** A file that was opened and is gone from its folder: whoever has it closes it. */
export interface SavedSnapshot {
  head: SavedHead
  /** What `VectorSnapshot` has written, in its order. */
  pieces: AsyncGenerator<Uint8Array, void>
  close(): Promise<void>
}

/**
 * Snapshots in files, from a stop to the next start. Nothing in them is the only one of its kind, so they are not flushed: one that
 * does not have what was written to it is noticed and thrown away.
 */
export interface SavedSnapshots {
  /** Whose snapshots there are. What else lies in the folder is removed. */
  list(): Promise<string[]>
  /** What a file says of itself; null, and it is removed: it is of no use to this version. */
  peek(organizationId: string): Promise<SavedHead | null>
  /** Opens a file and removes it, so that what is deleted from now on is in none. null: there is none that is of use. */
  take(organizationId: string): Promise<SavedSnapshot | null>
  remove(organizationId: string): Promise<void>
  /** @throws what the disk throws, and the reason of `signal`; then there is no file */
  write(head: SavedHead, pieces: Iterable<Uint8Array>, signal: AbortSignal): Promise<void>
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

const ENDING = '.vectors'
/** Of what is free on the disk so much is left to the database. */
const FREE_AFTER = 2

/** Saved snapshots in a folder of their own, whose files their owner alone may read. */
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

/** null: it is of another version, of another organization, or damaged. */
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

/** What a piece of JSON says; undefined where it is none. */
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
