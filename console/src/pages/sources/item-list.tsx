import { Box, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { FileText } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../session/workspace.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { ErrorNotice, ErrorState } from '../../ui/error-state.tsx'
import { FirstReading } from '../../ui/reading.tsx'
import { LinesSkeleton } from '../../ui/skeletons.tsx'
import { itemColumns, type ItemSort } from './item-columns.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { DeleteItemDialog } from './delete-item-dialog.tsx'
import { type ListedItem, useCanSync, type useItems, useSyncItem } from './use-items.ts'

/** Stored items to open and, for admins, to select. The next page loads near the end of the list, or by a button. */
export function ItemList({
  items,
  empty,
  isOfSource = false,
  sort,
  deleted,
  onDeleted,
  onOpen,
}: {
  items: ReturnType<typeof useItems>
  /** The empty state. */
  empty: { title: string; text: string; action?: ReactNode }
  /** All items are from the source that the page names. */
  isOfSource?: boolean
  sort: ItemSort
  /** A sentence about the last deletion. */
  deleted: string
  onDeleted: (words: string) => void
  onOpen: (item: ListedItem) => void
}) {
  const { rows, error, isPending, hasNextPage, refetch } = items
  if (isPending)
    return (
      <FirstReading>
        <LinesSkeleton lines={6} />
      </FirstReading>
    )
  if (error && rows.length === 0)
    return (
      <Box p="lg">
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Box>
    )
  // A page of search results can be empty while more pages follow.
  if (rows.length === 0 && !hasNextPage)
    return (
      <>
        {deleted !== '' && (
          <Text size="sm" c="dimmed" px="lg" role="status">
            {deleted}
          </Text>
        )}
        <EmptyState icon={FileText} {...empty} />
      </>
    )
  return (
    <>
      {rows.length > 0 && (
        <Rows
          rows={rows}
          isOfSource={isOfSource}
          sort={sort}
          deleted={deleted}
          onDeleted={onDeleted}
          onOpen={onOpen}
        />
      )}
      <EndOfList pages={items} />
    </>
  )
}

function Rows({
  rows,
  isOfSource,
  sort,
  deleted,
  onDeleted,
  onOpen,
}: {
  rows: readonly ListedItem[]
  isOfSource: boolean
  sort: ItemSort
  deleted: string
  onDeleted: (words: string) => void
  onOpen: (item: ListedItem) => void
}) {
  const { isAdmin } = useWorkspace()
  const { selected, isChosen, toggle, selectAll } = useSelection(rows)
  const [toDelete, setToDelete] = useState<ListedItem>()
  const [isDeleting, deleting] = useDisclosure(false)
  const sync = useSyncItem()
  const actions = {
    isChosen,
    onToggle: toggle,
    canSync: useCanSync(),
    onSync: (id: string) => {
      onDeleted('')
      sync.mutate(id)
    },
    onDelete: (item: ListedItem) => {
      setToDelete(item)
      deleting.open()
    },
  }
  return (
    <>
      {isAdmin && (
        <SelectionBar
          selected={selected}
          shown={rows.length}
          note={sync.isPending ? 'Syncing…' : deleted || sync.words}
          onDeleted={onDeleted}
          onSelectAll={selectAll}
        />
      )}
      {sync.error && (
        <Box p="md">
          <ErrorNotice error={sync.error} />
        </Box>
      )}
      <DataTable
        label="Stored items"
        rows={rows}
        rowKey={({ id }) => id}
        isCompact
        columns={itemColumns({ actions: isAdmin ? actions : null, isOfSource, sort, onOpen })}
      />
      <DeleteItemDialog item={toDelete} isOpen={isDeleting} onDeleted={onDeleted} onClose={deleting.close} />
    </>
  )
}

/** The selected rows. A range is selected from the row that was last toggled. */
function useSelection(rows: readonly ListedItem[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  // Deleted and filtered items are no longer selected.
  const selected = rows.flatMap(({ id }) => (chosen.has(id) ? [id] : []))
  const [lastToggled, setLastToggled] = useState<string>()
  const toggle = (id: string, isRange: boolean): void => {
    const ids = rows.map((row) => row.id)
    const [from, to] = [ids.indexOf(lastToggled ?? ''), ids.indexOf(id)].toSorted((a, b) => a - b)
    const isAdded = !selected.includes(id)
    const changed = isRange && from !== undefined && from >= 0 ? ids.slice(from, (to ?? from) + 1) : [id]
    const next = new Set(selected)
    for (const one of changed) {
      if (isAdded) next.add(one)
      else next.delete(one)
    }
    setChosen(next)
    setLastToggled(id)
  }
  const selectAll = (isAll: boolean): void => setChosen(new Set(isAll ? rows.map(({ id }) => id) : []))
  return { selected, isChosen: (id: string) => chosen.has(id), toggle, selectAll }
}
