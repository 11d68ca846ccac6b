/** Runs of white space as one blank. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/**
 * Rows of cells as a table of Markdown, a line a row; `hasHeader` when the first names the columns. Rows without words are
 * left out; `''` when there are none.
 */
export function markdownTable(rows: readonly (readonly string[])[], hasHeader: boolean): string {
  const shown = rows
    .map((row) => row.map((cell) => oneLine(cell).replaceAll('|', '\\|')))
    .filter((row) => row.some((cell) => cell !== ''))
  const lines = shown.map((row) => `| ${row.join(' | ')} |`)
  const [first] = shown
  if (hasHeader && first !== undefined && lines.length > 1) {
    lines.splice(1, 0, `|${' --- |'.repeat(first.length)}`)
  }
  return lines.join('\n')
}
