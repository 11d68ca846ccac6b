import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { ItemDrawer } from './item-drawer.tsx'
import { ItemFilters } from './item-filters.tsx'
import { ItemList } from './item-list.tsx'
import { filtersOf, type ItemsSearch, readItemsSearch } from './items-search.ts'
import { useItems } from './use-items.ts'
import { totalOf } from './item-totals.ts'

const route = getRouteApi('/admins/sources/items')

export function ItemsPage() {
  // The router passes on what the reader omits.
  const search = readItemsSearch({ ...route.useSearch() })
  const navigate = useNavigate()
  const { item, order } = search
  const filters = filtersOf(search)
  const list = { ...filters, ...(order && { order }) }
  const items = useItems({ ...list, by: 'changed' })
  const go = (next: ItemsSearch): void =>
    void navigate({ to: '/sources/items', search: next, resetScroll: false })
  const [deleted, setDeleted] = useState('')
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <BackLink to="/sources">Sources</BackLink>
      <PageHeader title="Stored items" text={totalOf(items)} />
      <Panel label="Items" isFlush>
        <ItemFilters
          filters={filters}
          onChange={(next) => {
            setDeleted('')
            go({ ...next, ...(order && { order }) })
          }}
        />
        <ItemList
          items={items}
          empty={
            isFiltered
              ? { title: 'No results', text: 'Clear a filter to see more.' }
              : {
                  title: 'Nothing is stored yet',
                  text: 'Connect an account or import files.',
                  action: <ButtonLink to="/sources/new">Add a source</ButtonLink>,
                }
          }
          sort={{ order, onSort: (next) => go({ ...filters, ...(next && { order: next }) }) }}
          deleted={deleted}
          onDeleted={setDeleted}
          onOpen={({ id }) => go({ ...list, item: id })}
        />
      </Panel>
      {item !== undefined && <ItemDrawer itemId={item} onDeleted={setDeleted} onClose={() => go(list)} />}
    </>
  )
}
