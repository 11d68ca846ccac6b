import path from 'node:path'
import type { ExtractedText, TextFormat } from '../../src/file-text/index.ts'
import type { IngestDocument } from '../../client/src/index.ts'
import { splitParts } from './split-parts.ts'
import type { FoundFile } from './walk-folder.ts'

type SourceKind = IngestDocument['sourceKind']

export interface IngestTarget {
  sourceId: string
  provider: IngestDocument['provider']
}

const TITLE_CHARACTERS_MAX = 300

/** The id of a file's part at the service; parts count from 0, and the first has the file's own id. */
export function externalIdOf(name: string, part: number): string {
  return part === 0 ? name : `${name}#part-${part + 1}`
}

/** A file's documents: none without text, several when its text exceeds the limit. `name` is its id. */
export function toIngestDocuments(
  target: IngestTarget,
  name: string,
  file: FoundFile,
  { title, text }: Pick<ExtractedText, 'title' | 'text'>,
): IngestDocument[] {
  if (text.trim() === '') return []
  const folder = path.posix.dirname(name)
  const parts = splitParts(text)
  return parts.map((body, part) => ({
    connectorId: target.sourceId,
    provider: target.provider,
    sourceKind: sourceKindOf(file.format),
    externalId: externalIdOf(name, part),
    title: shortTitle(title) + (parts.length === 1 ? '' : ` (part ${part + 1})`),
    body,
    sourceUpdatedAt: new Date(Math.floor(file.modifiedMs)).toISOString(),
    metadata: { path: name, folder: folder === '.' ? '' : folder, fileType: file.format },
  }))
}

function sourceKindOf(format: TextFormat): SourceKind {
  if (format === 'mail') return 'message'
  return format === 'text' || format === 'csv' || format === 'image' ? 'file' : 'document'
}

function shortTitle(title: string): string {
  const line = title.replace(/\s+/g, ' ').trim()
  return line.length <= TITLE_CHARACTERS_MAX
    ? line
    : `${line.slice(0, TITLE_CHARACTERS_MAX - 1).toWellFormed()}…`
}
