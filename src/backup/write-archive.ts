import { createHash } from 'node:crypto'
import { pipeline as connect, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import type { FileEntry } from '../database/database.ts'
import { CHECKSUMS, type Checksums } from './archive-format.ts'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/**
 * The bytes of a backup, made as they are read: no more than a few pieces are in memory, however large it is. Whoever
 * stops reading and destroys the stream ends what makes the entries too.
 * @param entries in their order, the manifest first
 * @param rows asked once all entries have been read
 */
export function writeArchive(
  entries: AsyncIterable<FileEntry>,
  rows: () => Checksums['rows'],
  at: Date,
): Readable {
  const archive = pack()
  fill(archive, entries, rows, at).catch((error: unknown) => {
    archive.destroy(error instanceof Error ? error : new Error(String(error)))
  })
  // A failure of either end reaches whoever reads by the stream itself.
  return connect(archive, createZstdCompress(), () => {})
}

async function fill(
  archive: Pack,
  entries: AsyncIterable<FileEntry>,
  rows: () => Checksums['rows'],
  mtime: Date,
): Promise<void> {
  const sha256: Checksums['sha256'] = {}
  for await (const { name, size, body } of entries) {
    if (body === null) {
      archive.entry({ name, type: 'directory', mode: FOLDER_MODE, mtime })
      continue
    }
    const hash = createHash('sha256')
    await pipeline(hashed(body, hash), archive.entry({ name, size, mode: FILE_MODE, mtime }))
    sha256[name] = hash.digest('hex')
  }
  const checksums = Buffer.from(`${JSON.stringify({ sha256, rows: rows() } satisfies Checksums)}\n`)
  await pipeline(
    Readable.from([checksums]),
    archive.entry({ name: CHECKSUMS, size: checksums.length, mode: FILE_MODE, mtime }),
  )
  archive.finalize()
}

async function* hashed(
  body: AsyncIterable<Uint8Array>,
  hash: { update(piece: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    hash.update(piece)
    yield piece
  }
}
