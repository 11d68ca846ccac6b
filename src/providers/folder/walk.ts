import { lstat, opendir } from 'node:fs/promises'
import { textFormatOf } from '../../file-text/index.ts'
import { codeOf } from '../../kernel/thrown-errors.ts'

/** A directory with more entries is not read: sorting them would hold up the service. */
const ENTRIES_MAX = 50_000
const DEPTH_MAX = 60

export interface WalkedFile {
  path: string
  /** When the file, or a folder above it, last changed by the file system's clock, in milliseconds. */
  fileChangedMs: number
  folderChangedMs: number
}

export type WalkStep = { file: WalkedFile } | { unreadable: string; message: string }

interface Entry {
  name: string
  isFolder: boolean
}

/** The files below a folder after the path `after`, ascending, without hidden names and symbolic links. */
export async function* walk(
  folder: string,
  after: string | null,
  signal: AbortSignal,
): AsyncGenerator<WalkStep> {
  const { ctimeMs } = await lstat(folder)
  yield* walkFolder({ folder, depth: 0, folderChangedMs: ctimeMs }, after, signal)
}

async function* walkFolder(
  at: { folder: string; depth: number; folderChangedMs: number },
  after: string | null,
  signal: AbortSignal,
): AsyncGenerator<WalkStep> {
  signal.throwIfAborted()
  const entries = await entriesOf(at.folder, at.depth)
  if (typeof entries === 'string') {
    yield { unreadable: at.folder, message: entries }
    return
  }
  for (const { name, isFolder } of entries) {
    const path = `${at.folder === '/' ? '' : at.folder}/${name}`
    // A resumed walk skips what it has read.
    if (after !== null && compareBytes(isFolder ? `${path}0` : path, after) <= 0) continue
    const stats = await lstat(path).catch(codeOf)
    if (typeof stats === 'string') {
      // Any other code, such as that of a stale mount, does not say that the file is gone.
      if (stats !== 'ENOENT' && stats !== 'ENOTDIR')
        yield { unreadable: path, message: `The ${isFolder ? 'folder' : 'file'} cannot be read (${stats})` }
    } else if (stats.isDirectory() && isFolder) {
      const folderChangedMs = Math.max(at.folderChangedMs, stats.ctimeMs)
      yield* walkFolder({ folder: path, depth: at.depth + 1, folderChangedMs }, after, signal)
    } else if (stats.isFile() && !isFolder) {
      const { folderChangedMs } = at
      yield { file: { path, fileChangedMs: stats.ctimeMs, folderChangedMs } }
    }
  }
}

/** The folders and readable files of a folder in the order of their paths, or why it is not read. */
async function entriesOf(folder: string, depth: number): Promise<Entry[] | string> {
  if (depth > DEPTH_MAX) return `Folders more than ${DEPTH_MAX} deep are not read`
  const entries: Entry[] = []
  let count = 0
  try {
    for await (const entry of await opendir(folder, { bufferSize: 1_024 })) {
      if ((count += 1) > ENTRIES_MAX) return `Folders with more than ${ENTRIES_MAX} entries are not read`
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) entries.push({ name: entry.name, isFolder: true })
      else if (entry.isFile() && textFormatOf('', entry.name) !== null)
        entries.push({ name: entry.name, isFolder: false })
    }
  } catch (error) {
    const code = codeOf(error)
    // Removed since its parent was read.
    if (code === 'ENOENT' && depth > 0) return []
    return `The folder cannot be read (${code})`
  }
  const keyOf = ({ name, isFolder }: Entry): string => (isFolder ? `${name}/` : name)
  return entries.toSorted((one, other) => compareBytes(keyOf(one), keyOf(other)))
}

const HAS_SURROGATES = /[\ud800-\udfff]/

/** Compares as UTF-8 bytes, as the database does with ids; UTF-16 orders only surrogates differently. */
export function compareBytes(one: string, other: string): number {
  if (HAS_SURROGATES.test(one) || HAS_SURROGATES.test(other))
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one === other ? 0 : one < other ? -1 : 1
}
