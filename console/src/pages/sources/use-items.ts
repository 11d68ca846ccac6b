import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import type { operations } from '../../api/schema.d.ts'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useReadPages } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { count } from '../../ui/format.ts'
import type { ListPage } from '../../ui/use-pages.ts'
import type { ItemsSearch } from './items-search.ts'
import { isPushOnly } from './source-words.ts'
import { useRefreshStored, useSources } from './use-sources.ts'

export type ListedItem = Schemas['BrowsedItem']
type ItemSync = operations['consoleSyncItem']['responses'][200]['content']['application/json']

/** The stored items in pages, by when they were stored or when they changed at their source. */
export function useItems({
  by = 'stored',
  ...search
}: Omit<ItemsSearch, 'item'> & { by?: 'stored' | 'changed' }) {
  const { q, source, provider, kind, access, from, to, entity, order } = search
  const filters = {
    by,
    ...(q === undefined ? {} : { q }),
    ...(source === undefined ? {} : { connectorId: source }),
    ...(provider === undefined ? {} : { origin: provider }),
    ...(kind === undefined ? {} : { sourceKind: kind }),
    ...(access === undefined ? {} : { access }),
    ...(from === undefined ? {} : { updatedAfter: startOf(from, 0) }),
    ...(to === undefined ? {} : { updatedBefore: startOf(to, 1) }),
    ...(entity === undefined ? {} : { entityId: entity }),
    ...(order === undefined ? {} : { order }),
  }
  const pages = useReadPages<ListedItem>(['source-items', 'pages', filters], async (api, given, signal) => {
    const page = await unwrap(
      api.GET('/v1/console/items', { params: { query: { ...filters, ...given } }, signal }),
    )
    return { rows: page.items, nextCursor: page.nextCursor, total: page.total }
  })
  return { ...pages, total: pages.data?.pages[0]?.total ?? null }
}

/** The start of a day in the browser's time zone, plus `later` days. */
function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

type Pages = InfiniteData<ListPage<ListedItem>>

/** Removes deleted items from the cached lists immediately, and refetches the counts. */
function useForget(): (ids: readonly string[]) => Promise<void> {
  const { organization } = useWorkspace()
  const queries = useQueryClient()
  const refresh = useRefreshStored()
  return async (ids) => {
    const gone = new Set(ids)
    queries.setQueriesData<Pages>({ queryKey: [organization.id, 'source-items', 'pages'] }, (data) =>
      data === undefined
        ? undefined
        : {
            ...data,
            pages: data.pages.map((page) => ({ ...page, rows: page.rows.filter(({ id }) => !gone.has(id)) })),
          },
    )
    await refresh()
  }
}

/** @param onDeleted is called with the outcome in words, even if the list has become empty */
export function useDeleteItem(onDeleted: (words: string) => void) {
  const forget = useForget()
  return useChange(
    (api, id: string) => unwrap(api.DELETE('/v1/console/source-items/{id}', { params: { path: { id } } })),
    async (_deleted, id) => {
      await forget([id])
      onDeleted(deletedWords({ deleted: 1, notFound: 0 }))
    },
  )
}

function deletedWords({ deleted, notFound }: { deleted: number; notFound: number }): string {
  const missing = notFound === 0 ? '' : ` ${count(notFound, 'item')} had been deleted before.`
  return `${count(deleted, 'item')} deleted.${missing}`
}

const OUTCOMES: Record<ItemSync['outcome'], string> = {
  updated: 'Updated.',
  unchanged: 'Already up to date.',
  deleted: 'Deleted, because it no longer exists at its source.',
  failed: 'It could not be read, so the stored version stays.',
}

/** Reads an item again at its source. */
export function useSyncItem() {
  const forget = useForget()
  const sync = useChange(
    (api, id: string) => unwrap(api.POST('/v1/console/items/{id}/sync', { params: { path: { id } } })),
    ({ outcome }, id) => forget(outcome === 'deleted' ? [id] : []),
  )
  const { data } = sync
  const words = data && [OUTCOMES[data.outcome], ...(data.reason === null ? [] : [data.reason])].join(' ')
  return { ...sync, words }
}

/** Whether an item's source can be asked for it; for admins. */
export function useCanSync(): (item: Pick<ListedItem, 'connectorId'>) => boolean {
  const sources = useSources().data ?? []
  return ({ connectorId }) =>
    sources.some((source) => source.id === connectorId && !isPushOnly(source) && source.status !== 'disabled')
}

/** The service deletes this many items in one transaction. */
const AT_ONCE = 100

/** Deletes items in batches. A failed batch stops the deletion; earlier batches stay deleted. */
export function useDeleteItems(onDeleted: (words: string) => void) {
  const forget = useForget()
  return useChange(
    async (api, ids: readonly string[]) => {
      const outcome = { deleted: 0, notFound: 0 }
      for (let start = 0; start < ids.length; start += AT_ONCE) {
        const body = { ids: ids.slice(start, start + AT_ONCE) }
        const { deleted, notFound } = await unwrap(api.POST('/v1/console/items/delete', { body }))
        outcome.deleted += deleted.length
        outcome.notFound += notFound.length
        await forget([...deleted, ...notFound])
      }
      return outcome
    },
    (outcome) => onDeleted(deletedWords(outcome)),
  )
}
