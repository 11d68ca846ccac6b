import { createHash } from 'node:crypto'
import { pipeline as connect, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import type { FileEntry } from '../database/database.ts'
import { asError } from '../kernel/thrown-errors.ts'
import { CHECKSUMS, type Checksums } from './archive-format.ts'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/**
 * The bytes of a backup, produced as they are read, with a few pieces in memory at most. Destroying the stream also
 * ends the source of the entries.
 * @param entries in order, the manifest first
 * @param rows called after all entries have been read
 */
export function writeArchive(
  entries: AsyncIterable<FileEntry>,
  rows: () => Checksums['rows'],
  at: Date,
): Readable {
  const archive = pack()
  fill(archive, entries, rows, at).catch((error: unknown) => {
    archive.destroy(asError(error))
  })
  // The stream itself reports a failure of either end to its reader.
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
