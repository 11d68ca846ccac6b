import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ItemDrawer } from './item-drawer.tsx'
import { ItemFilters } from './item-filters.tsx'
import { filtersOf, type ItemsSearch, readItemsSearch } from './items-search.ts'
import { ItemList } from './item-list.tsx'
import { totalOf } from './item-totals.ts'
import { isPushOnly, type Source } from './source-words.ts'
import { useItems } from './use-items.ts'

const route = getRouteApi('/admins/sources/$sourceId')

export function ItemsPanel({ source }: { source: Source }) {
  // The router passes on what the reader omits.
  const search = readItemsSearch({ ...route.useSearch() })
  const { item, order } = search
  // The page determines the source and its provider.
  const { source: _, provider: __, ...filters } = filtersOf(search)
  const list = { ...filters, ...(order && { order }) }
  const navigate = useNavigate()
  const go = (next: ItemsSearch): void =>
    void navigate({
      to: '/sources/$sourceId',
      params: { sourceId: source.id },
      search: next,
      resetScroll: false,
    })
  const [deleted, setDeleted] = useState('')
  const items = useItems({ ...list, source: source.id, by: 'changed' })
  return (
    <Panel title="Items" text={totalOf(items)} isFlush>
      <ItemFilters
        filters={filters}
        isOfSource
        onChange={(next) => {
          setDeleted('')
          go({ ...next, ...(order && { order }) })
        }}
      />
      <ItemList
        items={items}
        empty={Object.keys(filters).length > 0 ? NOTHING_FOUND : emptyOf(source)}
        isOfSource
        sort={{ order, onSort: (next) => go({ ...filters, ...(next && { order: next }) }) }}
        deleted={deleted}
        onDeleted={setDeleted}
        onOpen={({ id }) => go({ ...list, item: id })}
      />
      {item !== undefined && <ItemDrawer itemId={item} onDeleted={setDeleted} onClose={() => go(list)} />}
    </Panel>
  )
}

const NOTHING_FOUND = { title: 'No results', text: 'Clear a filter to see more.' }

function emptyOf(source: Source) {
  if (!isPushOnly(source)) return { title: 'No items yet', text: 'Items appear here as they are synced.' }
  return {
    title: 'No items yet',
    text: 'Import files, or push documents with the ID of this source.',
    action: (
      <ButtonLink to="/sources/import" search={{ source: source.id }} variant="default">
        Import files
      </ButtonLink>
    ),
  }
}
