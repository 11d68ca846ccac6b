import path from 'node:path'
import type { ExtractedDocument } from './extracted-document.ts'
import { type FileType, isFrontPage } from './file-types.ts'
import { splitParts } from './split-parts.ts'
import type { FoundFile } from './walk-folder.ts'

/** A document as `POST /v1/ingest` takes it. */
export interface IngestDocument {
  connectorId: string
  provider: string
  sourceKind: 'document' | 'file'
  externalId: string
  title: string
  body: string
  sourceUpdatedAt: string
  metadata: { path: string; folder: string; fileType: FileType }
}

/** Where documents go, and the name that stands in front of their paths there. */
export interface IngestTarget {
  sourceId: string
  provider: string
  prefix: string
}

const TITLE_CHARACTERS_MAX = 300
/** The id of a file's part at the service; parts count from 0, and the first has the file's own id. */
export function externalIdOf(target: IngestTarget, relativePath: string, part: number): string {
  const id = target.prefix === '' ? relativePath : `${target.prefix}/${relativePath}`
  return part === 0 ? id : `${id}#part-${part + 1}`
}

/** The documents that a file becomes: none without text, several where its text exceeds what one may hold. */
export function toIngestDocuments(
  target: IngestTarget,
  file: FoundFile,
  { title, text }: ExtractedDocument,
): IngestDocument[] {
  if (text.trim() === '') return []
  const filePath = externalIdOf(target, file.relativePath, 0)
  const folder = path.posix.dirname(filePath)
  const name = title === '' ? titleFromPath(filePath) : title
  const parts = splitParts(text)
  return parts.map((body, part) => ({
    connectorId: target.sourceId,
    provider: target.provider,
    sourceKind: file.type === 'text' ? 'file' : 'document',
    externalId: externalIdOf(target, file.relativePath, part),
    title: shortTitle(name) + (parts.length === 1 ? '' : ` (part ${part + 1})`),
    body,
    sourceUpdatedAt: new Date(Math.floor(file.modifiedMs)).toISOString(),
    metadata: { path: filePath, folder: folder === '.' ? '' : folder, fileType: file.type },
  }))
}

/** The file's name without its ending; for a README that of its folder. */
function titleFromPath(filePath: string): string {
  const name = path.posix.basename(filePath, path.posix.extname(filePath))
  const folder = path.posix.basename(path.posix.dirname(filePath))
  return isFrontPage(filePath) && folder !== '' && folder !== '.' ? folder : name
}

function shortTitle(title: string): string {
  const line = title.replace(/\s+/g, ' ').trim()
  return line.length <= TITLE_CHARACTERS_MAX
    ? line
    : `${line.slice(0, TITLE_CHARACTERS_MAX - 1).toWellFormed()}…`
}
