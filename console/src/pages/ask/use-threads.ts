import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { usePages } from '../../ui/use-pages.ts'

export type ThreadSummary = Schemas['ThreadSummary']
export type Turn = Schemas['Turn']
export type Feedback = NonNullable<Turn['feedback']>
interface Thread {
  thread: ThreadSummary
  turns: Turn[]
}

const PAGE = 10

/** The user's threads, most recently used first. */
export function useThreads() {
  const { api, organization } = useWorkspace()
  return usePages<ThreadSummary>({
    queryKey: [organization.id, 'threads', 'pages'],
    read: async (cursor, signal) => {
      const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
      const page = await unwrap(api.GET('/v1/console/threads', { params: { query }, signal }))
      return { rows: page.threads, nextCursor: page.nextCursor }
    },
  })
}

/** A thread with its questions. Sends no request without an ID. */
export function useThread(id: string | undefined) {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'threads', id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/console/threads/{id}', { params: { path: { id: id ?? '' } }, signal })),
    enabled: id !== undefined,
  })
}

/** Stores an answered question in a thread or in a new one, and caches the thread immediately. */
export function useSaveTurn() {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  const refetch = useRefetch()
  return useCallback(
    async (threadId: string | undefined, body: Schemas['NewTurn']): Promise<{ id: string; turn: Turn }> => {
      const { thread, turn } = await unwrap(
        threadId === undefined
          ? api.POST('/v1/console/threads', { body })
          : api.POST('/v1/console/threads/{id}/turns', { params: { path: { id: threadId } }, body }),
      )
      queries.setQueryData<Thread>([organization.id, 'threads', thread.id], (before) => ({
        thread,
        turns: [...(before?.turns ?? []), turn],
      }))
      void refetch('threads')
      return { id: thread.id, turn }
    },
    [api, organization.id, queries, refetch],
  )
}

/** Stores the user's feedback on an answer. */
export function useRateTurn(threadId: string, turnId: string) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (feedback: Feedback | null) =>
      await unwrap(
        api.PUT('/v1/console/threads/{id}/turns/{turnId}/feedback', {
          params: { path: { id: threadId, turnId } },
          body: { feedback },
        }),
      ),
    onSuccess: ({ feedback }) =>
      queries.setQueryData<Thread>([organization.id, 'threads', threadId], (before) =>
        before === undefined
          ? undefined
          : { ...before, turns: before.turns.map((one) => (one.id === turnId ? { ...one, feedback } : one)) },
      ),
  })
}

/** Adds a rated question to the evaluation. */
export function useAddToEvaluation(threadId: string, turnId: string) {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: async () => {
      const path = { id: threadId, turnId }
      await unwrap(api.POST('/v1/console/threads/{id}/turns/{turnId}/evaluation', { params: { path } }))
    },
    onSuccess: () => refetch('evaluation'),
  })
}

/** Deletes one thread; all of the user's with `null`. */
export function useDeleteThreads() {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (id: string | null) => {
      await (id === null
        ? unwrap(api.DELETE('/v1/console/threads'))
        : unwrap(api.DELETE('/v1/console/threads/{id}', { params: { path: { id } } })))
    },
    onSuccess: async () => {
      // Hidden lists must not show deleted threads when they reappear.
      queries.removeQueries({ queryKey: [organization.id, 'threads'], type: 'inactive' })
      await queries.invalidateQueries({ queryKey: [organization.id, 'threads', 'pages'] })
    },
  })
}
