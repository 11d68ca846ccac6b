import type { SourceKind } from '../kernel/source-kinds.ts'
import { shortLine } from '../text/short-line.ts'
import type { TextFormat } from './text-format.ts'

const TITLE_CHARACTERS_MAX = 300

/** The `sourceKind` of a document that was read from a file. */
export function sourceKindOf(format: TextFormat): SourceKind {
  if (format === 'mail') return 'message'
  return format === 'text' || format === 'csv' || format === 'image' ? 'file' : 'document'
}

/** A file's title on one line, shortened. */
export const shortTitle = (title: string): string => shortLine(title, TITLE_CHARACTERS_MAX)
