import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'

/** A page of a list, and where the next one begins; null after the last. */
export interface ListPage<Row> {
  rows: readonly Row[]
  nextCursor: string | null
  /** All rows of the list, where the first page says it. */
  total?: number | null
}

/**
 * A list that is read page by page. `endRef` goes onto an element below the rows: when that comes into view, the next
 * page is read.
 */
export function usePages<Row>(options: {
  queryKey: QueryKey
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>
  /** The interval of refreshes, in milliseconds; false: none. */
  refetchInterval?: (rows: readonly Row[]) => number | false
}) {
  const query = useInfiniteQuery({
    queryKey: options.queryKey,
    queryFn: ({ pageParam, signal }) => options.read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    refetchInterval: ({ state }) =>
      options.refetchInterval?.(state.data?.pages.flatMap(({ rows }) => rows) ?? []) ?? false,
  })
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const observer = useRef<IntersectionObserver | null>(null)
  const endRef = useCallback(
    (element: Element | null) => {
      observer.current?.disconnect()
      if (element === null || !hasNextPage || isFetchingNextPage) return
      observer.current = new IntersectionObserver(
        ([entry]) => {
          if (entry?.isIntersecting) void fetchNextPage()
        },
        { rootMargin: '400px' },
      )
      observer.current.observe(element)
    },
    [fetchNextPage, hasNextPage, isFetchingNextPage],
  )
  return { ...query, rows: query.data?.pages.flatMap(({ rows }) => rows) ?? [], endRef }
}

/** A list that is read page by page, with what its end needs. */
export type Pages<Row = unknown> = ReturnType<typeof usePages<Row>>
