import type { Column } from './data-table.tsx'
import { formatNumber, noun } from './format.ts'

/** A column of whole numbers, which `one` or `many` follows in cards with one line. */
export function numberColumn<Row>(
  label: string,
  valueOf: (row: Row) => number,
  one: string,
  many?: string,
): Column<Row> {
  return {
    label,
    cell: (row) => formatNumber(valueOf(row)),
    unit: (row) => noun(valueOf(row), one, many),
    isAtEnd: true,
  }
}
