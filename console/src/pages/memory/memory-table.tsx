import { formatNumber } from '../../ui/format.ts'
import { SortableTable } from '../../ui/sortable-table.tsx'
import { kindOf } from './kinds.ts'
import { KindDot } from './legend.tsx'
import classes from './memory-table.module.css'
import type { MemorySearch, SortColumn } from './memory-search.ts'
import { isDescending, type MemoryRow, sortRows } from './rows.ts'

const DEFAULT_SORT: SortColumn = 'weight'

/** The memory as a table, for keyboards and screen readers too. */
export function MemoryTable({
  rows,
  search,
  onChange,
  onChoose,
}: {
  rows: readonly MemoryRow[]
  search: MemorySearch
  onChange: (search: MemorySearch, replace?: boolean) => void
  onChoose: (id: string) => void
}) {
  const column = search.sort ?? DEFAULT_SORT
  const isReversed = search.reversed ?? false
  const sort = (next: SortColumn): void => {
    const { reversed: _, ...rest } = search
    onChange({ ...rest, sort: next, ...(next === column && !isReversed ? { reversed: true } : {}) }, true)
  }
  return (
    <SortableTable<MemoryRow, SortColumn>
      label="Names in the memory"
      rows={sortRows(rows, column, isReversed)}
      rowKey={({ node }) => node.id}
      sorted={{ column, isDescending: isDescending(column, isReversed) }}
      onSort={sort}
      columns={[
        {
          id: 'name',
          label: 'Name',
          cell: ({ node }) => (
            <button
              type="button"
              className={classes.name}
              aria-pressed={node.id === search.node}
              onClick={() => onChoose(node.id)}
            >
              {node.label}
            </button>
          ),
        },
        {
          id: 'kind',
          label: 'Kind',
          cell: ({ node, kind }) => (
            <span className={classes.kind}>
              <KindDot kind={kindOf(node)} />
              {kind}
            </span>
          ),
        },
        { id: 'weight', label: 'Items', cell: ({ node }) => formatNumber(node.weight), isAtEnd: true },
        { id: 'links', label: 'Links', cell: ({ links }) => formatNumber(links), isAtEnd: true },
      ]}
    />
  )
}
