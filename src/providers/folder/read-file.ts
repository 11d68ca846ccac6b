import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { TextExtractor } from '../../file-text/index.ts'
import type { SkippedItem } from '../feed.ts'
import { type ProviderItem, ProviderError, type ProviderSession } from '../adapter.ts'
import { extractFile, tooLarge } from '../extract-file.ts'
import { readBytes } from '../rest.ts'
import { codeOf } from '../../kernel/thrown-errors.ts'

const ID_BYTES_MAX = 2_048

/** A file as an item; null if it does not exist or is outside the folder; `skipped` if it has no text. */
export async function readFolderFile(
  session: ProviderSession,
  extractor: TextExtractor,
  file: string,
): Promise<ProviderItem | SkippedItem | null> {
  const format = extractor.formatOf('', path.basename(file))
  if (format === null) return null
  if (Buffer.byteLength(file) > ID_BYTES_MAX)
    throw new ProviderError('rejected', `Paths over ${ID_BYTES_MAX} bytes are not read`)
  const found = await openFile(file)
  if (found === null) return null
  const { handle, stats } = found
  const { account, limits } = session
  try {
    if (stats.size > limits.maxDownloadBytes) throw tooLarge(session)
    const relative = path.relative(account.externalAccountId, file).split(path.sep).join('/')
    // The file may grow while it is read.
    const content = handle.createReadStream({ autoClose: false, highWaterMark: 2 ** 20 })
    const bytes = await readBytes(content, limits.maxDownloadBytes, 'The file')
    const { title, text } = await extractFile(
      { session, extractor },
      { format, bytes, charset: null, path: relative },
    )
    if (text === '') return { title: relative, skipped: 'The file has no text' }
    return itemOf(file, relative, { title, text, stats, workspace: account.displayName })
  } finally {
    await handle.close()
  }
}

/** Opens a file without waiting for a pipe. The caller checks the open file's place: the path can change any time. */
async function openFile(file: string): Promise<{ handle: FileHandle; stats: Stats } | null> {
  let handle: FileHandle
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(code)) return null
    throw new ProviderError('rejected', `The file cannot be read (${code})`, { cause: error })
  }
  // Only Linux reports the place of an open file; other systems resolve its path.
  const place = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(file).catch(() => null))
  const stats = await handle.stat()
  if (place === file && stats.isFile()) return { handle, stats }
  await handle.close()
  return null
}

function itemOf(
  externalId: string,
  relative: string,
  { title, text, stats, workspace }: { title: string; text: string; stats: Stats; workspace: string },
): ProviderItem {
  const folders = relative.split('/').slice(0, -1)
  return {
    externalId,
    sourceKind: 'file',
    title: title || path.basename(relative),
    body: text,
    url: null,
    authorName: null,
    sourceCreatedAt: null,
    sourceUpdatedAt: stats.mtime,
    metadata: { workspace, path: relative, ...(folders.length > 0 && { folder: folders.join(' / ') }) },
  }
}
