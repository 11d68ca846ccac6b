import { numberColumn } from '../../ui/number-column.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
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
  const direction = isDescending(column, isReversed) ? 'descending' : 'ascending'
  const by = (id: SortColumn): NonNullable<Column<MemoryRow>['sort']> => ({
    direction: id === column ? direction : 'none',
    onSort: () => sort(id),
  })
  return (
    <DataTable
      label="Names in the memory"
      rows={sortRows(rows, column, isReversed)}
      rowKey={({ node }) => node.id}
      isCompact
      columns={[
        {
          label: 'Name',
          sort: by('name'),
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
          label: 'Kind',
          sort: by('kind'),
          cell: ({ node, kind }) => (
            <span className={classes.kind}>
              <KindDot kind={kindOf(node)} />
              {kind}
            </span>
          ),
        },
        { ...numberColumn('Items', ({ node }: MemoryRow) => node.weight, 'item'), sort: by('weight') },
        { ...numberColumn('Links', ({ links }: MemoryRow) => links, 'link'), sort: by('links') },
      ]}
    />
  )
}
