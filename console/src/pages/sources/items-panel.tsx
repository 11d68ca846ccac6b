import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ItemDrawer } from './item-drawer.tsx'
import { ItemFilters } from './item-filters.tsx'
import type { ItemsSearch } from './items-search.ts'
import { ItemList } from './item-list.tsx'
import { SkippedPanel } from './skipped-panel.tsx'
import { totalOf } from './item-totals.ts'
import { isPushOnly, type Source } from './source-words.ts'
import { useItems } from './use-items.ts'

const route = getRouteApi('/admins/sources/$sourceId')

export function ItemsPanel({ source }: { source: Source }) {
  // The page determines the source and its provider.
  const { item, source: _, provider: __, ...filters } = route.useSearch()
  const navigate = useNavigate()
  const go = (search: ItemsSearch): void =>
    void navigate({ to: '/sources/$sourceId', params: { sourceId: source.id }, search, resetScroll: false })
  const isFiltered = Object.keys(filters).length > 0
  const items = useItems({ ...filters, source: source.id })
  return (
    <>
      <Panel title="Items" text={totalOf(items)} isFlush>
        <ItemFilters filters={filters} isOfSource onChange={go} />
        <ItemList
          items={items}
          empty={
            !isFiltered
              ? {
                  title: 'No items yet',
                  text: isPushOnly(source)
                    ? 'Import files, or push documents with the ID of this source.'
                    : 'Items appear here as they are synced.',
                  ...(isPushOnly(source)
                    ? {
                        action: (
                          <ButtonLink to="/sources/import" search={{ source: source.id }} variant="default">
                            Import files
                          </ButtonLink>
                        ),
                      }
                    : {}),
                }
              : { title: 'No results', text: 'Clear a filter to see more.' }
          }
          isAsked={!isPushOnly(source)}
          isOfSource
          onOpen={({ id }) => go({ ...filters, item: id })}
        />
        {item !== undefined && <ItemDrawer itemId={item} onClose={() => go(filters)} />}
      </Panel>
      {!isPushOnly(source) && <SkippedPanel sourceId={source.id} />}
    </>
  )
}
