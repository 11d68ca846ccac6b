import { useMutation, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import type { Api } from '../api/client.ts'
import type { ApiError } from '../api/errors.ts'
import { useWorkspace } from '../session/workspace.tsx'
import { type ListPage, usePages } from '../ui/use-pages.ts'
import { useRefetch } from './use-refetch.ts'

/** Reads from the open workspace, and caches the answer there under `key`. */
export function useRead<Answer, Shown = Answer>(
  key: readonly unknown[],
  read: (api: Api, signal: AbortSignal) => Promise<Answer>,
  options: Omit<UseQueryOptions<Answer, ApiError, Shown>, 'queryKey' | 'queryFn'> = {},
) {
  const { api, organization } = useWorkspace()
  return useQuery({
    ...options,
    queryKey: [organization.id, ...key],
    queryFn: ({ signal }) => read(api, signal),
  })
}

/** The same for a list in pages. `page` has the parameters of the next one. */
export function useReadPages<Row>(
  key: readonly unknown[],
  read: (api: Api, page: { cursor?: string }, signal: AbortSignal) => Promise<ListPage<Row>>,
  refetchInterval?: (rows: readonly Row[]) => number | false,
) {
  const { api, organization } = useWorkspace()
  return usePages<Row>({
    queryKey: [organization.id, ...key],
    read: (cursor, signal) => read(api, cursor === undefined ? {} : { cursor }, signal),
    ...(refetchInterval && { refetchInterval }),
  })
}

/** Changes the open workspace. `then`: the names of the queries to refetch after success, or what else to do. */
export function useChange<Answer, Given = void>(
  change: (api: Api, given: Given) => Promise<Answer>,
  then: readonly string[] | ((answer: Answer, given: Given) => unknown) = [],
) {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (given: Given) => change(api, given),
    onSuccess: (answer, given) => (typeof then === 'function' ? then(answer, given) : refetch(...then)),
  })
}
