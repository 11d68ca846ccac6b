import path from 'node:path'
import { type ExtractedText, shortTitle, sourceKindOf } from '../../src/file-text/index.ts'
import type { IngestDocument } from '../../client/src/index.ts'
import { splitParts } from './split-parts.ts'
import type { FoundFile } from './walk-folder.ts'

export interface IngestTarget {
  sourceId: string
  provider: IngestDocument['provider']
}

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
