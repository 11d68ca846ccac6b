import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { type Extract, extract } from 'tar-stream'
import { flushFolder } from '../database/flush-folder.ts'
import { StartupError } from '../kernel/errors.ts'
import { CHECKSUMS, Checksums, KEPT_FILES, MANIFEST, Manifest } from './archive-format.ts'
import { messageOf } from '../kernel/thrown-errors.ts'

/** The most memory for manifest and checksums: enough for over a million files. */
const LISTS_BYTES_MAX = 256 * 1024 * 1024
/** The names that the database's folder has; none leads outside it. */
const INSIDE_DATABASE = /^database(?:\/[\w][\w.-]*)*$/

export interface ReadBackup {
  manifest: Manifest
  rows: Checksums['rows']
  /** The size of all files, unpacked. */
  bytes: number
}

/** Reads a backup to its end and checks every file; with `folder`, writes them there. @throws StartupError */
export async function readArchive(file: string, folder: string | null): Promise<ReadBackup> {
  const sha256: Checksums['sha256'] = {}
  const folders: string[] = []
  let manifest: Manifest | undefined
  let checksums: Checksums | undefined
  let bytes = 0
  const archive = extract()
  const feeding = pipeline(createReadStream(file), createZstdDecompress(), archive)
  // The missing entries below reveal the failure.
  feeding.catch(() => {})
  try {
    for await (const entry of archive) {
      const name = entry.header.name.replace(/\/$/, '')
      if (checksums !== undefined) throw notWhole(file, `${name} comes after its end`)
      if (manifest === undefined && name !== MANIFEST)
        throw notWhole(file, 'it does not begin with a manifest')
      if (entry.header.type === 'directory') folders.push(name)
      const hash = createHash('sha256')
      if (name === MANIFEST) manifest = parse(Manifest, await content(entry, hash), file, name)
      else if (name === CHECKSUMS) checksums = parse(Checksums, await content(entry, hash), file, name)
      else bytes += await store(entry, name, folder, hash, file)
      if (name !== CHECKSUMS && entry.header.type === 'file') sha256[name] = hash.digest('hex')
    }
    await feeding
    // A flushed file's name is kept by most file systems; that of an empty folder, which the database needs, by none.
    if (folder !== null) for (const name of ['', ...folders]) await flushFolder(path.join(folder, name))
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw notWhole(file, messageOf(error), error)
  }
  if (manifest === undefined || checksums === undefined) throw notWhole(file, 'its end is missing')
  compare(file, checksums.sha256, sha256)
  return { manifest, rows: checksums.rows, bytes }
}

type Hash = ReturnType<typeof createHash>
type Entry = Extract extends AsyncIterable<infer Element> ? Element : never

async function content(entry: Entry, hash: Hash): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of piecesOf(entry)) {
    size += piece.length
    if (size > LISTS_BYTES_MAX) throw new Error(`${entry.header.name} is too large`)
    hash.update(piece)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Hashes one entry and writes it when there is a folder; returns its bytes. */
async function store(
  entry: Entry,
  name: string,
  folder: string | null,
  hash: Hash,
  file: string,
): Promise<number> {
  const { type, size } = entry.header
  const isKnown = KEPT_FILES.some((kept) => kept === name) || INSIDE_DATABASE.test(name)
  if (!isKnown || name.includes('..') || (type !== 'file' && type !== 'directory'))
    throw notWhole(file, `it contains ${JSON.stringify(entry.header.name)}, which is not part of a backup`)
  const target = folder === null ? null : path.join(folder, name)
  if (type === 'directory') {
    if (target !== null) await mkdir(target, { mode: 0o700 })
    entry.resume()
    return 0
  }
  const handle = target === null ? null : await open(target, 'wx', 0o600)
  try {
    for await (const piece of piecesOf(entry)) {
      hash.update(piece)
      // Not `write`, which writes only a part when the disk is nearly full.
      await handle?.writeFile(piece)
    }
    await handle?.sync()
  } finally {
    await handle?.close()
  }
  return size
}

async function* piecesOf(entry: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const piece of entry) {
    if (!Buffer.isBuffer(piece)) throw new Error('the archive returned something other than bytes')
    yield piece
  }
}

function parse<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  text: string,
  file: string,
  name: string,
): T {
  const parsed = schema.safeParse(JSON.parse(text))
  if (!parsed.success) throw notWhole(file, `its ${name} has a format that this version cannot read`)
  return parsed.data
}

function compare(file: string, expected: Checksums['sha256'], found: Checksums['sha256']): void {
  for (const name of new Set([...Object.keys(expected), ...Object.keys(found)]))
    if (expected[name] !== found[name]) throw notWhole(file, `${name} does not match its checksum`)
}

function notWhole(file: string, reason: string, cause?: unknown): StartupError {
  return new StartupError(`${file} is not a complete backup of this service: ${reason}`, { cause })
}
