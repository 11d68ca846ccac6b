import type { PartReader } from './office-package.ts'

/** A cell's text, or the index of its text in the workbook's shared strings. */
export type Cell = string | number

/** The nonempty cells of a row, in order. */
export type Row = Cell[]

export interface SheetReader extends PartReader {
  /** Nonempty rows. */
  rows: Row[]
  /** Lower bound of the characters so far: a shared string counts as one. */
  size(): number
  /** Whether every row was read. */
  isWhole(): boolean
}

export interface SheetReaderOptions {
  /** The text that a cell of this style shows for a number. */
  formatted: (value: number, style: number) => string
  /** Stops reading the sheet here. */
  maxCharacters: number
}

// Characters between cells; a line end takes one.
const SEPARATOR_CHARACTERS = 3

/** Extracts the rows from a worksheet's XML (ECMA-376 part 1, 18.3.1): values, no formulas. */
export function createSheetReader({ formatted, maxCharacters }: SheetReaderOptions): SheetReader {
  const rows: Row[] = []
  let row: Row = []
  let type = 'n'
  let style = 0
  let value = ''
  let inValue = false
  let inReadingAid = false
  let size = 0
  let isPastRows = false

  function endCell(): void {
    const cell = cellOf(type, value, (number) => formatted(number, style))
    if (cell === null) return
    row.push(cell)
    size += (typeof cell === 'number' ? 1 : cell.length) + (row.length === 1 ? 1 : SEPARATOR_CHARACTERS)
  }

  return {
    rows,
    size: () => size,
    isWhole: () => isPastRows,
    open(name, attributes) {
      if (name === 'c') {
        type = attributes['t'] ?? 'n'
        style = Number(attributes['s'] ?? 0)
        value = ''
      } else if (name === 'v') inValue = true
      // Text in the cell itself; phonetic guides (rPh) repeat it in another script.
      else if (name === 't') inValue = !inReadingAid
      else if (name === 'rPh') inReadingAid = true
    },
    text(piece) {
      if (inValue) value += piece
    },
    close(name) {
      if (name === 'v' || name === 't') inValue = false
      else if (name === 'rPh') inReadingAid = false
      else if (name === 'c') endCell()
      else if (name === 'row') {
        if (row.length > 0) rows.push(row)
        row = []
      } else if (name === 'sheetData') isPastRows = true
    },
    isDone: () => isPastRows || size > maxCharacters,
  }
}

/** The text of a cell of a type (18.18.11); null: it shows nothing. */
function cellOf(type: string, value: string, formatted: (value: number) => string): Cell | null {
  if (value.trim() === '') return null
  if (type === 's') return Number(value)
  if (type === 'b') return value.trim() === '1' || value.trim() === 'true' ? 'TRUE' : 'FALSE'
  if (type === 'n') return Number.isFinite(Number(value)) ? formatted(Number(value)) : value
  return value
}
