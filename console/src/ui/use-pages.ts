import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'

/** A page of a list and the cursor of the next; null after the last. */
export interface ListPage<Row> {
  rows: readonly Row[]
  nextCursor: string | null
  /** The number of all rows, if the first page includes it. */
  total?: number | null
}

/** A paged list. Attach `endRef` to an element below the rows: the next page loads when it comes into view. */
export function usePages<Row>(options: {
  queryKey: QueryKey
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>
  /** The refetch interval in milliseconds; false: none. */
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

/** A paged list with the state that `EndOfList` needs. */
export type Pages<Row = unknown> = ReturnType<typeof usePages<Row>>
