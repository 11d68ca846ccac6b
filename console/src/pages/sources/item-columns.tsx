import { Anchor, Checkbox } from '@mantine/core'
import { RefreshCw, Trash2 } from 'lucide-react'
import type { Column } from '../../ui/data-table.tsx'
import { Origin } from '../../ui/provider.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import classes from './item-list.module.css'
import { KINDS } from './source-words.ts'
import type { ListedItem } from './use-items.ts'

/** The order of the list, by the latest change at the source. */
export interface ItemSort {
  order: 'oldest' | undefined
  onSort: (order: 'oldest' | undefined) => void
}

/** The actions that admins can take on a row. */
export interface ItemActions {
  isChosen: (id: string) => boolean
  /** `isRange`: also the rows between this one and the one toggled before. */
  onToggle: (id: string, isRange: boolean) => void
  canSync: (item: ListedItem) => boolean
  onSync: (id: string) => void
  onDelete: (item: ListedItem) => void
}

export function itemColumns({
  actions,
  isOfSource,
  sort,
  onOpen,
}: {
  /** Null for members. */
  actions: ItemActions | null
  isOfSource: boolean
  sort: ItemSort
  onOpen: (item: ListedItem) => void
}): Column<ListedItem>[] {
  return [
    {
      label: 'Title',
      cell: (item) => (
        <span className={classes.name}>
          {actions && (
            <Checkbox
              size="xs"
              aria-label={`Select ${titleOf(item)}`}
              checked={actions.isChosen(item.id)}
              onChange={({ nativeEvent }) =>
                actions.onToggle(item.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
              }
            />
          )}
          <Anchor
            component="button"
            type="button"
            className={classes.title ?? ''}
            data-opens-row
            onClick={() => onOpen(item)}
          >
            {titleOf(item)}
          </Anchor>
        </span>
      ),
    },
    ...(isOfSource ? [] : [{ label: 'From', cell: (item: ListedItem) => <Origin item={item} /> }]),
    { label: 'Author', isShort: true, cell: ({ authorName }) => authorName },
    { label: 'Kind', isMinor: true, cell: ({ sourceKind }) => KINDS[sourceKind] },
    {
      label: 'Changed',
      sort: {
        direction: sort.order === 'oldest' ? 'ascending' : 'descending',
        onSort: () => sort.onSort(sort.order === 'oldest' ? undefined : 'oldest'),
      },
      cell: ({ changedAt }) => <RelativeTime at={changedAt} />,
      isAtEnd: true,
    },
    ...(actions ? [actionColumn(actions)] : []),
  ]
}

function actionColumn({ canSync, onSync, onDelete }: ItemActions): Column<ListedItem> {
  return {
    label: 'Actions',
    cell: (item) => (
      <RowMenu
        of={titleOf(item)}
        actions={[
          ...(canSync(item)
            ? [{ label: 'Sync again', icon: RefreshCw, onChoose: () => onSync(item.id) }]
            : []),
          { label: 'Delete item', icon: Trash2, isGrave: true, onChoose: () => onDelete(item) },
        ]}
      />
    ),
    isAtEnd: true,
    isAction: true,
  }
}

function titleOf({ title, externalId }: ListedItem): string {
  return title === '' ? externalId : title
}
