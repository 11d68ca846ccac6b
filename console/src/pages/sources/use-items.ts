import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { type ListPage, usePages } from '../../ui/use-pages.ts'
import type { ItemsSearch } from './items-search.ts'
import { useRefreshStored } from './use-sources.ts'

export type ListedItem = Schemas['BrowsedItem']

/** The stored items in pages, last changed first. */
export function useItems({ q, source, provider, kind, access, from, to }: Omit<ItemsSearch, 'item'>) {
  const { api, organization } = useWorkspace()
  const filters = {
    ...(q === undefined ? {} : { q }),
    ...(source === undefined ? {} : { connectorId: source }),
    ...(provider === undefined ? {} : { origin: provider }),
    ...(kind === undefined ? {} : { sourceKind: kind }),
    ...(access === undefined ? {} : { access }),
    ...(from === undefined ? {} : { updatedAfter: startOf(from, 0) }),
    ...(to === undefined ? {} : { updatedBefore: startOf(to, 1) }),
  }
  const pages = usePages<ListedItem>({
    queryKey: [organization.id, 'source-items', 'pages', filters],
    read: async (cursor, signal) => {
      const query = { ...filters, ...(cursor === undefined ? {} : { cursor }) }
      const page = await unwrap(api.GET('/v1/console/items', { params: { query }, signal }))
      return { rows: page.items, nextCursor: page.nextCursor, total: page.total }
    },
  })
  return { ...pages, total: pages.data?.pages[0]?.total ?? null }
}

/** The start of a day in the browser's time zone, plus `later` days. */
function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

type Pages = InfiniteData<ListPage<ListedItem>>

/** Removes deleted items from the cached lists at once, and refetches the counts. */
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

export function useDeleteItem(id: string) {
  const { api } = useWorkspace()
  const forget = useForget()
  return useMutation({
    mutationFn: async () => {
      await unwrap(api.DELETE('/v1/console/source-items/{id}', { params: { path: { id } } }))
    },
    onSuccess: () => forget([id]),
  })
}

/** The service deletes this many items in one transaction. */
const AT_ONCE = 100

/** Deletes items in batches. A failed batch stops the deletion; earlier batches stay deleted. */
export function useDeleteItems() {
  const { api } = useWorkspace()
  const forget = useForget()
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
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
  })
}
