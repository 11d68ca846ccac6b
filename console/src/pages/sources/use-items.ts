import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { type ListPage, usePages } from '../../ui/use-pages.ts'
import type { ItemsSearch } from './items-search.ts'
import { useRefreshStored } from './use-sources.ts'

export type ListedItem = Schemas['ListedSourceItem']

/** What is stored, page by page, what changed last first. */
export function useItems({ provider, kind, title, connectorId }: ItemsSearch & { connectorId?: string }) {
  const { api, organization } = useWorkspace()
  const filters = {
    ...(provider === undefined ? {} : { provider }),
    ...(kind === undefined ? {} : { sourceKind: kind }),
    ...(title === undefined ? {} : { title }),
    ...(connectorId === undefined ? {} : { connectorId }),
  }
  return usePages<ListedItem>({
    queryKey: [organization.id, 'source-items', 'pages', filters],
    read: async (cursor, signal) => {
      const query = { ...filters, ...(cursor === undefined ? {} : { cursor }) }
      const page = await unwrap(api.GET('/v1/console/source-items', { params: { query }, signal }))
      return { rows: page.sourceItems, nextCursor: page.nextCursor }
    },
  })
}

type Pages = InfiniteData<ListPage<ListedItem>>

/** Deletes an item; it is gone from the lists at once. */
export function useDeleteItem(id: string) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  const refresh = useRefreshStored()
  return useMutation({
    mutationFn: async () => {
      await unwrap(api.DELETE('/v1/console/source-items/{id}', { params: { path: { id } } }))
    },
    onSuccess: async () => {
      queries.setQueriesData<Pages>({ queryKey: [organization.id, 'source-items', 'pages'] }, (data) =>
        data === undefined
          ? undefined
          : {
              ...data,
              pages: data.pages.map((page) => ({ ...page, rows: page.rows.filter((row) => row.id !== id) })),
            },
      )
      await refresh()
    },
  })
}
