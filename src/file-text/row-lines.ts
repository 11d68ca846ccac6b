/** A nonempty cell and its column, from 0. */
export interface ColumnCell {
  column: number
  text: string
}

/** The nonempty cells of a row, in order; none for an empty row. */
export type SheetRow = readonly ColumnCell[]

/** Rows whose width shows which row names the columns. */
const LOOK_AHEAD = 10
const NAME_CHARACTERS_MAX = 120
/** A single cell with more words is a remark. */
const CELL_WORDS_MAX = 3
const YEAR = /^(?:19|20)\d\d$/

/**
 * The lines of a table: a row with the names of its columns, such as `- Item: Desks; Cost: 1200`, or else its cells,
 * such as `Desks | 1200`. Rows above the names are the table's title. An empty row may begin another table.
 */
export function* rowLines(rows: Iterable<SheetRow>): Generator<string> {
  const source = rows[Symbol.iterator]()
  const ahead: SheetRow[] = []
  let names: ReadonlyMap<number, string> | null = null
  let isBeginning = true
  for (;;) {
    while (ahead.length < LOOK_AHEAD) {
      const { value, done } = source.next()
      if (done === true) break
      ahead.push(value)
    }
    const row = ahead[0]
    if (row === undefined) return
    const header: SheetRow | undefined = isBeginning ? headerIn(tableAt(ahead), names !== null) : undefined
    isBeginning = row.length === 0
    if (header !== undefined) {
      yield* ahead
        .splice(0, ahead.indexOf(header))
        .flatMap((title) => (title.length > 0 ? [cellsOf(title)] : []))
      names = new Map(header.map(({ column, text }) => [column, text]))
    } else if (row.length > 0) {
      yield names === null || isNote(row, names) ? cellsOf(row) : `- ${named(row, names)}`
    }
    ahead.shift()
  }
}

/** The rows up to an empty one, which may follow a title or the column names. */
function tableAt(ahead: readonly SheetRow[]): SheetRow[] {
  const end = ahead.findIndex((row) => row.length === 0)
  return end > 1 ? ahead.slice(0, end) : ahead.filter((row) => row.length > 0)
}

/** A row of texts by column. */
export function sheetRow(texts: readonly string[]): SheetRow {
  return texts.flatMap((text, column) => (text === '' ? [] : [{ column, text }]))
}

const cellsOf = (row: SheetRow): string => row.map(({ text }) => text).join(' | ')

/** Whether a row is a remark about the table. */
function isNote([first, ...others]: SheetRow, names: ReadonlyMap<number, string>): boolean {
  return others.length === 0 && names.size > 2 && (first?.text.split(' ').length ?? 0) > CELL_WORDS_MAX
}

function named(row: SheetRow, names: ReadonlyMap<number, string>): string {
  return row
    .map(({ column, text }) => {
      const name = names.get(column)
      return name === undefined ? text : `${name}: ${text}`
    })
    .join('; ')
}

/** The row that names the columns, if any. `isLater`: only numbers below it show that it does. */
function headerIn(rows: readonly SheetRow[], isLater: boolean): SheetRow | undefined {
  const width = Math.max(...rows.map((row) => row.length))
  const isHeader = (row: SheetRow, at: number): boolean => {
    const below = rows[at + 1] ?? []
    if (row.length < Math.max(2, width / 2) || !looksLikeHeader(row, below)) return false
    return !isLater || namesNumbers(row, below)
  }
  const at = rows.findIndex(isHeader)
  const [first, next] = [rows[at], rows[at + 1]]
  if (first === undefined || next === undefined || next.length <= first.length) return first
  const isTitle = isHeader(next, at + 1) && namesNumbers(next, rows[at + 2] ?? [])
  return isTitle ? next : first
}

/** Whether a row names the columns: distinct words or years, and other cells below. */
export function looksLikeHeader(row: SheetRow, below: SheetRow): boolean {
  const names = row.map(({ text }) => text)
  const isName = ({ column, text }: ColumnCell): boolean => {
    if (text.length > NAME_CHARACTERS_MAX) return false
    return YEAR.test(text) ? !YEAR.test(textIn(below, column)) : /\p{L}/u.test(text) && !/^\d/.test(text)
  }
  return (
    below.length > 0 &&
    row.every(isName) &&
    names.some((name) => !YEAR.test(name)) &&
    new Set(names).size === names.length
  )
}

function namesNumbers(row: SheetRow, below: SheetRow): boolean {
  return row.some(({ column, text }) => !/^\d/.test(text) && /^\d/.test(textIn(below, column)))
}

function textIn(row: SheetRow, column: number): string {
  return row.find((cell) => cell.column === column)?.text ?? ''
}
