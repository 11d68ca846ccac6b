import { ProviderError } from '../../adapter.ts'
import { extractFile, TOO_LARGE, tooLarge } from '../../extract-file.ts'
import type { Parameters } from '../shared/calls.ts'
import { filePath, type DriveFile, type DriveRun } from './run.ts'
import { runCooperatively, type Pausable } from '../../../kernel/cooperative.ts'
import type { ExtractedText, TextFormat } from '../../../file-text/index.ts'

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
// Export types of Google's own formats, best first. A document's Markdown embeds its images, so a document too large
// for Markdown may still fit as plain text. A spreadsheet too large for Excel may fit as CSV, its first sheet only.
// https://developers.google.com/workspace/drive/api/guides/ref-export-formats
const EXPORTS = new Map<string, readonly string[]>([
  ['application/vnd.google-apps.document', ['text/markdown', 'text/plain']],
  ['application/vnd.google-apps.spreadsheet', [WORKBOOK, 'text/csv']],
  ['application/vnd.google-apps.presentation', ['text/plain']],
])

const FORMATS = new Map<string, TextFormat>([
  [WORKBOOK, 'excel'],
  ['text/csv', 'csv'],
])

/** Only one file over this size is in memory at a time. */
const LARGE_BYTES = 4 * 1024 * 1024
const BYTES_A_PAUSE = 65_536

/** True for formats edited in Google's own editors. */
export const isGoogleDocument = (mimeType: string) => EXPORTS.has(mimeType)

/** True for file types that are never read. */
export const isSkipped = (run: DriveRun, file: DriveFile) =>
  !isGoogleDocument(file.mimeType) && run.extractor.formatOf(file.mimeType, file.name) === null

/** The text of a file; null when its type is not read. @throws ProviderError, or the signal's reason */
export async function readContent(run: DriveRun, file: DriveFile): Promise<ExtractedText | null> {
  const exports = EXPORTS.get(file.mimeType)
  if (exports) return await exportText(run, file, exports)
  const format = run.extractor.formatOf(file.mimeType, file.name)
  if (format === null) return null
  const { limits } = run.session
  if (Number(file.size ?? 0) > limits.maxDownloadBytes) throw tooLarge(run.session)
  const read = async () => {
    const bytes = await download(run, filePath(file.id), { alt: 'media', supportsAllDrives: true })
    return await extractFile(run, { format, bytes, charset: null, path: file.name })
  }
  return Number(file.size ?? 0) > LARGE_BYTES ? await run.oneLarge(read) : await read()
}

async function exportText(
  run: DriveRun,
  file: DriveFile,
  mimeTypes: readonly string[],
): Promise<ExtractedText> {
  const [mimeType, ...others] = mimeTypes
  try {
    const bytes = await download(run, `${filePath(file.id)}/export`, { mimeType: mimeType ?? 'text/plain' })
    const { signal } = run.session
    return await extractFile(run, {
      format: FORMATS.get(mimeType ?? '') ?? 'text',
      bytes: mimeType === 'text/markdown' ? await runCooperatively(withoutPictures(bytes), signal) : bytes,
      charset: 'utf-8',
      path: file.name,
    })
  } catch (error) {
    const tooLong =
      error instanceof ProviderError && ['exportSizeLimitExceeded', TOO_LARGE].includes(error.code ?? '')
    if (tooLong && others.length > 0) return await exportText(run, file, others)
    throw error
  }
}

async function download(run: DriveRun, path: string, parameters: Parameters): Promise<Uint8Array> {
  try {
    return await run.api.bytes(path, parameters, run.session.limits.maxDownloadBytes)
  } catch (error) {
    if (error instanceof ProviderError && error.code === TOO_LARGE) throw tooLarge(run.session)
    throw error
  }
}

/** Removes images, which Google writes as data at the end and as references; each on one line, so in bursts. */
export function* withoutPictures(markdown: Uint8Array): Pausable<Buffer> {
  const decoder = new TextDecoder()
  const parts: Buffer[] = []
  let unfinished = ''
  for (let from = 0; from < markdown.length; from += BYTES_A_PAUSE) {
    yield
    const piece = decoder.decode(markdown.subarray(from, from + BYTES_A_PAUSE), { stream: true })
    const lineStart = piece.lastIndexOf('\n') + 1
    if (lineStart > 0) parts.push(Buffer.from(linesWithoutPictures(unfinished + piece.slice(0, lineStart))))
    unfinished = lineStart > 0 ? piece.slice(lineStart) : unfinished + piece
  }
  parts.push(Buffer.from(linesWithoutPictures(unfinished + decoder.decode())))
  return Buffer.concat(parts)
}

function linesWithoutPictures(lines: string): string {
  return lines
    .replaceAll(/^\[[^[\]\n]{1,40}\]: <data:[^<>\n]*>$/gm, '')
    .replaceAll(/!\[[^[\]\n]{0,200}\]\[[^[\]\n]{1,40}\]/g, '')
}
