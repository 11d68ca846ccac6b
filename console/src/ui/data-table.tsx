import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './data-table.module.css'

export interface Column<Row> {
  /** The header; screen readers and narrow screens name each cell by it. */
  label: string
  cell: (row: Row) => ReactNode
  /** Numbers and actions stand at the end. */
  isAtEnd?: boolean
}

/** Rows of one kind: a table, and on a narrow screen one card a row. The first column names the row. */
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
    <Table className={classes.table} aria-label={label} role="table" highlightOnHover>
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map((column) => (
            <Table.Th key={column.label} role="columnheader" data-end={column.isAtEnd ?? false}>
              {column.label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <DataRows rows={rows} columns={columns} rowKey={rowKey} />
    </Table>
  )
}

/** The rows of a table, on a narrow screen the cards. */
export function DataRows<Row>({
  rows,
  columns,
  rowKey,
}: {
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
}) {
  return (
    <Table.Tbody role="rowgroup">
      {rows.map((row) => (
        <Table.Tr key={rowKey(row)} role="row">
          {columns.map((column) => (
            <Table.Td
              key={column.label}
              role="cell"
              data-label={column.label}
              data-end={column.isAtEnd ?? false}
            >
              {column.cell(row)}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  )
}
