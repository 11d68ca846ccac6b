import { markdownTable } from '../markdown-table.ts'
import { looksLikeHeader, sheetRow } from '../row-lines.ts'

/** A recognized word with its place in pixels. */
export interface Word {
  block: number
  paragraph: number
  line: number
  left: number
  top: number
  right: number
  bottom: number
  confidence: number
  text: string
}

/** Words of one line without a wide gap between them: a cell of a table, or a line of text. */
interface Segment {
  words: Word[]
  left: number
  top: number
  right: number
  bottom: number
}

/** Segments side by side, from left to right. */
type Row = Segment[]

/** In heights of the line. Spaces between words are about 0.4, and up to 1 in justified text. */
const CELL_GAP = 1.6
/** The space between two rows of a table, in heights of a row. */
const ROW_GAP_MAX = 2.5
/** More words in a segment, on average, are text in columns and no table. */
const CELL_WORDS_MAX = 5

/** Text in reading order: paragraphs apart, and segments side by side as Markdown tables. */
export function layOut(words: readonly Word[]): string {
  const segments = segmentsOf(words)
  const tables = tablesOf(rowsOf(segments))
  const tableOf = new Map(tables.flatMap((rows) => rows.flat().map((segment) => [segment, rows] as const)))
  const shown = new Set<Row[]>()
  const parts: string[] = []
  let last: Word | undefined
  for (const segment of segments) {
    const rows = tableOf.get(segment)
    const [first] = segment.words
    if (rows !== undefined && !shown.has(rows)) {
      parts.push('', tableText(rows), '')
      shown.add(rows)
    }
    if (rows !== undefined || first === undefined) continue
    const isSameParagraph = last?.block === first.block && last.paragraph === first.paragraph
    if (!isSameParagraph) parts.push('')
    const isSameLine = isSameParagraph && last?.line === first.line
    const text = segment.words.map((word) => word.text).join(' ')
    if (isSameLine) parts.push(`${parts.pop() ?? ''} ${text}`)
    else parts.push(text)
    last = first
  }
  return parts.join('\n')
}

function segmentsOf(words: readonly Word[]): Segment[] {
  const segments: Segment[] = []
  let last: Word | undefined
  for (const word of words) {
    const isSameLine =
      last?.block === word.block && last.paragraph === word.paragraph && last.line === word.line
    const height = Math.max(word.bottom - word.top, last === undefined ? 0 : last.bottom - last.top)
    const segment = segments.at(-1)
    if (isSameLine && segment && word.left - segment.right < CELL_GAP * height) {
      segment.words.push(word)
      segment.right = Math.max(segment.right, word.right)
      segment.top = Math.min(segment.top, word.top)
      segment.bottom = Math.max(segment.bottom, word.bottom)
    } else {
      const { left, top, right, bottom } = word
      segments.push({ words: [word], left, top, right, bottom })
    }
    last = word
  }
  return segments
}

/** All segments by rows from top to bottom, whatever block they belong to. */
function rowsOf(segments: readonly Segment[]): Row[] {
  const rows: Row[] = []
  for (const segment of segments.toSorted((a, b) => middleOf(a) - middleOf(b))) {
    const row = rows.at(-1)
    if (row?.some((other) => middleOf(segment) < other.bottom && middleOf(other) > segment.top))
      row.push(segment)
    else rows.push([segment])
  }
  return rows.map((row) => row.toSorted((a, b) => a.left - b.left))
}

const middleOf = ({ top, bottom }: Segment): number => (top + bottom) / 2

/** Runs of rows with several segments each, except text in columns. */
function tablesOf(rows: readonly Row[]): Row[][] {
  const runs: Row[][] = []
  let run: Row[] = []
  const end = (): void => {
    if (run.length > 1 && !isColumnText(run)) runs.push(run)
    run = []
  }
  for (const row of rows) {
    if (row.length < 2) {
      end()
      continue
    }
    if (!isNextRow(run.at(-1), row)) end()
    run.push(row)
  }
  end()
  return runs
}

function isNextRow(above: Row | undefined, row: Row): boolean {
  if (above === undefined) return true
  const bottom = Math.max(...above.map((segment) => segment.bottom))
  const top = Math.min(...row.map((segment) => segment.top))
  const height = Math.max(...[...above, ...row].map((segment) => segment.bottom - segment.top))
  return top - bottom < ROW_GAP_MAX * height
}

function isColumnText(rows: readonly Row[]): boolean {
  const segments = rows.flat()
  const words = segments.reduce((sum, segment) => sum + segment.words.length, 0)
  return words > CELL_WORDS_MAX * segments.length
}

function tableText(rows: readonly Row[]): string {
  const starts = columnsOf(rows.flat())
  const cells = rows.map((row) => {
    const texts = starts.map(() => [] as string[])
    for (const segment of row) {
      const column = starts.findLastIndex((start) => segment.left >= start)
      texts[column]?.push(...segment.words.map((word) => word.text))
    }
    return texts.map((words) => words.join(' '))
  })
  const [first = [], second = []] = cells.map(sheetRow)
  return markdownTable(cells, first.length * 2 >= starts.length && looksLikeHeader(first, second))
}

/** Where columns start: segments that overlap horizontally are of one column. */
function columnsOf(segments: readonly Segment[]): number[] {
  const starts: number[] = []
  let end = -Infinity
  for (const { left, right } of segments.toSorted((a, b) => a.left - b.left)) {
    if (left >= end) starts.push(left)
    end = Math.max(end, right)
  }
  return starts
}
