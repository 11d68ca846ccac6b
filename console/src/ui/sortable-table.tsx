import { Table } from '@mantine/core'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type Column, DataRows, useCards } from './data-table.tsx'
import tableClasses from './data-table.module.css'
import classes from './sortable-table.module.css'

/** A table sorted by its headers. Looks like `DataTable`; on narrow screens, the headers are above the cards. */
export function SortableTable<Row, Id extends string>({
  label,
  rows,
  columns,
  rowKey,
  sorted,
  onSort,
}: {
  label: string
  /** Already sorted. */
  rows: readonly Row[]
  columns: readonly (Column<Row> & { id: Id })[]
  rowKey: (row: Row) => string
  sorted: { column: Id; isDescending: boolean }
  onSort: (column: Id) => void
}) {
  const areCards = useCards(columns.length)
  return (
    <Table
      data-cards={areCards}
      className={`${tableClasses.table} ${classes.table}`}
      aria-label={label}
      role="table"
      highlightOnHover={!areCards}
    >
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map((column) => (
            <Table.Th
              key={column.id}
              role="columnheader"
              data-end={column.isAtEnd ?? false}
              aria-sort={sortOf(column.id, sorted)}
            >
              <button type="button" className={classes.header} onClick={() => onSort(column.id)}>
                {column.label}
                {column.id === sorted.column && <Direction isDescending={sorted.isDescending} />}
              </button>
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <DataRows rows={rows} columns={columns} rowKey={rowKey} />
    </Table>
  )
}

function Direction({ isDescending }: { isDescending: boolean }) {
  return isDescending ? <ArrowDown size={13} aria-hidden /> : <ArrowUp size={13} aria-hidden />
}

function sortOf(id: string, sorted: { column: string; isDescending: boolean }) {
  if (id !== sorted.column) return 'none'
  return sorted.isDescending ? 'descending' : 'ascending'
}
