import type { TextFormat } from './text-format.ts'

const TITLE_CHARACTERS_MAX = 300

/** The `sourceKind` of a document that was read from a file. */
export function sourceKindOf(format: TextFormat): 'message' | 'file' | 'document' {
  if (format === 'mail') return 'message'
  return format === 'text' || format === 'csv' || format === 'image' ? 'file' : 'document'
}

/** A file's title on one line, shortened. */
export function shortTitle(title: string): string {
  const line = title.replaceAll(/\s+/g, ' ').trim()
  return line.length <= TITLE_CHARACTERS_MAX
    ? line
    : `${line.slice(0, TITLE_CHARACTERS_MAX - 1).toWellFormed()}…`
}
