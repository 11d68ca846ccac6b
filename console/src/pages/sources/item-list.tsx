import { Anchor, Box } from '@mantine/core'
import { FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Origin } from '../../ui/provider.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LinesSkeleton } from '../../ui/skeletons.tsx'
import classes from './item-list.module.css'
import { KINDS } from './source-words.ts'
import type { ListedItem, useItems } from './use-items.ts'

/** Stored items; the next page comes when the end is near, or only when it is asked for. */
export function ItemList({
  items,
  empty,
  isAsked = false,
  onOpen,
}: {
  items: ReturnType<typeof useItems>
  /** What to say where there are none. */
  empty: { title: string; text: string; action?: ReactNode }
  /** The next page comes by a button alone, where something stands below the list. */
  isAsked?: boolean
  onOpen: (item: ListedItem) => void
}) {
  const { rows, error, isPending, refetch } = items
  if (isPending)
    return (
      <Box p="lg">
        <LinesSkeleton lines={6} />
      </Box>
    )
  if (error && rows.length === 0)
    return (
      <Box p="lg">
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Box>
    )
  if (rows.length === 0) return <EmptyState icon={FileText} {...empty} />
  return (
    <>
      <DataTable
        label="Stored items"
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            label: 'Title',
            cell: (item) => (
              <Anchor
                component="button"
                type="button"
                className={classes.title ?? ''}
                onClick={() => onOpen(item)}
              >
                {item.title === '' ? item.externalId : item.title}
              </Anchor>
            ),
          },
          { label: 'From', cell: (item) => <Origin item={item} /> },
          { label: 'Kind', cell: ({ sourceKind }) => KINDS[sourceKind] },
          { label: 'Stored', cell: ({ syncedAt }) => <RelativeTime at={syncedAt} />, isAtEnd: true },
        ]}
      />
      <EndOfList pages={items} isAsked={isAsked} />
    </>
  )
}
