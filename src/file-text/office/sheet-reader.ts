import type { PartReader } from './office-package.ts'

/** A nonempty cell. `value`: its text, or the index of its text in the workbook's shared strings. */
export interface Cell {
  column: number
  value: string | number
}

/** The nonempty cells of a row, in order. */
export type Row = Cell[]

export interface SheetReader extends PartReader {
  /** Rows; one empty row stands for any number of them. */
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
  let [rowNumber, column] = [0, -1]
  let type = 'n'
  let style = 0
  let value = ''
  let inValue = false
  let inReadingAid = false
  let size = 0
  let isPastRows = false

  function endCell(): void {
    const shown = cellOf(type, value, (number) => formatted(number, style))
    if (shown === null) return
    row.push({ column, value: shown })
    size += (typeof shown === 'number' ? 1 : shown.length) + (row.length === 1 ? 1 : SEPARATOR_CHARACTERS)
  }

  function addEmptyRow(): void {
    if ((rows.at(-1)?.length ?? 0) > 0) rows.push([])
  }

  return {
    rows,
    size: () => size,
    isWhole: () => isPastRows,
    open(name, attributes) {
      if (name === 'row') {
        const number = Number(attributes['r'] ?? rowNumber + 1)
        if (number > rowNumber + 1) addEmptyRow()
        rowNumber = number
        column = -1
      } else if (name === 'c') {
        column = columnOf(attributes['r']) ?? column + 1
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
        else addEmptyRow()
        row = []
      } else if (name === 'sheetData') isPastRows = true
    },
    isDone: () => isPastRows || size > maxCharacters,
  }
}

/** The column of a reference such as `C5`, from 0. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? '')?.[0]
  if (letters === undefined) return null
  return [...letters].reduce((sum, letter) => sum * 26 + (letter.charCodeAt(0) - 64), 0) - 1
}

/** The text of a cell of a type (18.18.11); null: it shows nothing. */
function cellOf(type: string, value: string, formatted: (value: number) => string): Cell['value'] | null {
  if (value.trim() === '') return null
  if (type === 's') return Number(value)
  if (type === 'b') return value.trim() === '1' || value.trim() === 'true' ? 'TRUE' : 'FALSE'
  if (type === 'n') return Number.isFinite(Number(value)) ? formatted(Number(value)) : value
  return value
}
