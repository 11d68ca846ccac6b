import type { FileText } from './file-text.ts'
import { oneLine } from './markdown-table.ts'
import { rowLines, sheetRow, type SheetRow } from './row-lines.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const
/** Characters from which the delimiter is guessed. */
const SNIFFED_CHARACTERS = 16_384
const COLUMNS_MAX = 1_000
/** Longer rows are cut: they are dumps. */
const ROW_CHARACTERS_MAX = 20_000

/** A delimited table as its rows with column names, such as `- Item: Desks; Cost: 1200`. */
export function readCsv(source: string, maxCharacters: number): FileText {
  const lines: string[] = []
  let length = 0
  for (const line of rowLines(rowsOf(source, delimiterOf(source)))) {
    if (length > maxCharacters) return { text: lines.join('\n'), stopped: true }
    const shown = line.length > ROW_CHARACTERS_MAX ? `${line.slice(0, ROW_CHARACTERS_MAX)} …` : line
    lines.push(shown)
    length += shown.length + 1
  }
  return { text: lines.join('\n') }
}

/** The delimiter: the candidate that most rows at the beginning have equally often outside quotes. */
function delimiterOf(source: string): string {
  const stated = /^sep=(.)\r?\n/i.exec(source.slice(0, 10))?.[1]
  if (stated !== undefined) return stated
  const rows = source
    .slice(0, SNIFFED_CHARACTERS)
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]+/)
  const [best] = DELIMITERS.map((delimiter) => {
    const counts = rows.map((row) => row.split(delimiter).length - 1).filter((count) => count > 0)
    const alike = Map.groupBy(counts, (count) => count)
      .values()
      .map(({ length }) => length)
    return { delimiter, rows: Math.max(0, ...alike), total: counts.reduce((sum, count) => sum + count, 0) }
  }).toSorted((a, b) => b.rows - a.rows || b.total - a.total)
  return best?.delimiter ?? ','
}

/** One row at a time. */
function* rowsOf(source: string, delimiter: string): Generator<SheetRow> {
  const text = source.replace(/^sep=.\r?\n/i, '')
  let row: string[] = []
  for (let at = 0; at < text.length;) {
    const { cell, end } = readCell(text, at, delimiter)
    if (row.length < COLUMNS_MAX) row.push(oneLine(cell))
    const isRowEnd = text[end] !== delimiter
    at = end + (text[end] === '\r' && text[end + 1] === '\n' ? 2 : 1)
    if (!isRowEnd && at < text.length) continue
    yield sheetRow(row)
    row = []
  }
}

/** The cell at `from`, and the position of its delimiter or line end. */
function readCell(text: string, from: number, delimiter: string): { cell: string; end: number } {
  const plainEnd = () => cellEnd(text, from, delimiter)
  if (text[from] !== '"') return { cell: text.slice(from, plainEnd()), end: plainEnd() }
  const pieces: string[] = []
  let at = from + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    // An unclosed quote is an ordinary character (5" pipes). This can happen only once per text.
    if (quote === -1) return { cell: text.slice(from, plainEnd()), end: plainEnd() }
    pieces.push(text.slice(at, quote))
    at = quote + 1
    if (text[at] !== '"') break
    pieces.push('"')
    at += 1
  }
  // Keeps text after the closing quote, although the format forbids it.
  const end = cellEnd(text, at, delimiter)
  return { cell: pieces.join('') + text.slice(at, end), end }
}

function cellEnd(text: string, from: number, delimiter: string): number {
  let at = from
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1
  return at
}
