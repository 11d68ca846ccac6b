import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import classes from './data-table.module.css'

export interface Column<Row> {
  /** The header; screen readers and narrow screens name each cell by it. */
  label: string
  cell: (row: Row) => ReactNode
  /** Numbers and actions are aligned to the end. */
  isAtEnd?: boolean
  /** Its buttons say themselves what they do: the header is for screen readers alone. */
  isAction?: boolean
}

/** From so many columns on a table needs more than a tablet's width. */
const MANY_COLUMNS = 6
const NARROW = '(max-width: 47.99em)'
/** The navigation at the side takes of it too. */
const NOT_WIDE = '(max-width: 79.99em)'

/** Rows of one kind: a table, and one card a row where the screen has no room for its columns. The first column names the row. */
export function DataTable<Row>({
  label,
  rows,
  columns,
  rowKey,
}: {
  /** What the rows are, for screen readers. */
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
}) {
  return (
    <TableFrame label={label} columns={columns}>
      <DataRows rows={rows} columns={columns} rowKey={rowKey} />
    </TableFrame>
  )
}

/** The table of these columns around its rows. */
export function TableFrame({
  label,
  columns,
  children,
}: {
  label: string
  columns: readonly Pick<Column<never>, 'label' | 'isAtEnd' | 'isAction'>[]
  children: ReactNode
}) {
  const areCards = useCards(columns.length)
  return (
    <div className={classes.frame}>
      <Table
        className={classes.table}
        data-cards={areCards}
        aria-label={label}
        role="table"
        highlightOnHover={!areCards}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column) => (
              <Table.Th key={column.label} role="columnheader" data-end={column.isAtEnd ?? false}>
                <span className={column.isAction ? classes.hidden : undefined}>{column.label}</span>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        {children}
      </Table>
    </div>
  )
}

/** Whether the screen is too narrow for a table of so many columns. */
export function useCards(columns: number): boolean {
  return useMediaQuery(columns < MANY_COLUMNS ? NARROW : NOT_WIDE, false, { getInitialValueInEffect: false })
}

/** The rows of a table, on a narrow screen the cards. */
export function DataRows<Row>({
  rows,
  columns,
  rowKey,
  isNested = false,
}: {
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  /** They belong to the row above. */
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
