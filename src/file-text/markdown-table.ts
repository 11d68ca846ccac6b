/** Collapses white space to single spaces. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** The line between the column names and the rows of a Markdown table. */
export const tableRule = (columns: number): string => `|${' --- |'.repeat(columns)}`

/** A Markdown table, one line per row, without empty rows; `hasHeader` if the first row names the columns. */
export function markdownTable(rows: readonly (readonly string[])[], hasHeader: boolean): string {
  const shown = rows
    .map((row) => row.map((cell) => oneLine(cell).replaceAll('|', '\\|')))
    .filter((row) => row.some((cell) => cell !== ''))
  const lines = shown.map((row) => `| ${row.join(' | ')} |`)
  const [first] = shown
  if (hasHeader && first !== undefined && lines.length > 1) {
    lines.splice(1, 0, tableRule(first.length))
  }
  return lines.join('\n')
}
