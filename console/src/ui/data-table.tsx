import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './data-table.module.css'

export interface Column<Row> {
  /** The header. On narrow screens and for screen readers, it labels each cell. */
  label: string
  cell: (row: Row) => ReactNode
  /** A name, cut off rather than wrapped. */
  isShort?: boolean
  /** Left out of cards with one line. */
  isMinor?: boolean
  /** The word after the value in cards with one line. */
  unit?: (row: Row) => string
  /** Aligns numbers and actions to the end. */
  isAtEnd?: boolean
  /** A column of buttons, whose header is only for screen readers. */
  isAction?: boolean
  /** Makes the header sort by this column. On narrow screens, such headers are above the cards. */
  sort?: { direction: 'ascending' | 'descending' | 'none'; onSort: () => void }
}

/** Tables with at least this many columns need more than a tablet's width. */
const MANY_COLUMNS = 6
const NARROW = '(max-width: 47.99em)'
/** Includes the width of the sidebar. */
const NOT_WIDE = '(max-width: 79.99em)'

/** A table, or one card per row on screens too narrow for its columns. The first column names the row. */
export function DataTable<Row>({
  label,
  rows,
  columns,
  rowKey,
  isCompact = false,
}: {
  /** The table's name for screen readers. */
  label: string
  /** Cards have one line below the name, without labels. */
  isCompact?: boolean
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
}) {
  return (
    <TableFrame label={label} columns={columns} isCompact={isCompact}>
      <DataRows rows={rows} columns={columns} rowKey={rowKey} />
    </TableFrame>
  )
}

/** The table and its header, around the rows. */
export function TableFrame({
  label,
  columns,
  isCompact = false,
  children,
}: {
  label: string
  isCompact?: boolean
  columns: readonly Pick<Column<never>, 'label' | 'isAtEnd' | 'isAction' | 'sort'>[]
  children: ReactNode
}) {
  const areCards = useCards(columns.length)
  return (
    <div className={classes.frame}>
      <Table
        className={classes.table}
        data-cards={areCards}
        data-compact={isCompact && areCards}
        aria-label={label}
        role="table"
        highlightOnHover={!areCards}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column) => (
              <Table.Th
                key={column.label}
                role="columnheader"
                data-end={column.isAtEnd ?? false}
                aria-sort={column.sort?.direction}
              >
                {column.sort === undefined ? (
                  <span className={column.isAction ? classes.hidden : undefined}>{column.label}</span>
                ) : (
                  <SortHeader label={column.label} {...column.sort} />
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        {children}
      </Table>
    </div>
  )
}

function SortHeader({ label, direction, onSort }: { label: string } & NonNullable<Column<never>['sort']>) {
  return (
    <button type="button" className={classes.sort} onClick={onSort}>
      {label}
      {direction === 'descending' && <ArrowDown size={13} aria-hidden />}
      {direction === 'ascending' && <ArrowUp size={13} aria-hidden />}
    </button>
  )
}

/** Whether the screen is too narrow for a table with this many columns. */
export function useCards(columns: number): boolean {
  return useMediaQuery(columns < MANY_COLUMNS ? NARROW : NOT_WIDE, false, { getInitialValueInEffect: false })
}

/** The rows of a table, or cards on narrow screens. */
export function DataRows<Row>({
  rows,
  columns,
  rowKey,
  isNested = false,
}: {
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  /** The rows are details of the row above. */
  isNested?: boolean
}) {
  return (
    <Table.Tbody role="rowgroup" data-nested={isNested}>
      {rows.map((row) => (
        <Table.Tr key={rowKey(row)} role="row">
          {columns.map((column) => (
            <Table.Td
              key={column.label}
              role="cell"
              data-label={column.label}
              data-short={column.isShort ?? false}
              data-minor={column.isMinor ?? false}
              data-unit={column.unit?.(row)}
              data-end={column.isAtEnd ?? false}
              data-action={column.isAction ?? false}
            >
              {column.cell(row)}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  )
}
