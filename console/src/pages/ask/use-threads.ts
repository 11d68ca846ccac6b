import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useRead, useReadPages } from '../../data/use-api.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'

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
  return useReadPages<ThreadSummary>(['threads', 'pages'], async (api, given, signal) => {
    const query = { limit: PAGE, ...given }
    const page = await unwrap(api.GET('/v1/console/threads', { params: { query }, signal }))
    return { rows: page.threads, nextCursor: page.nextCursor }
  })
}

/** A thread with its questions. Sends no request without an ID. */
export function useThread(id: string | undefined) {
  return useRead(
    ['threads', id],
    (api, signal) =>
      unwrap(api.GET('/v1/console/threads/{id}', { params: { path: { id: id ?? '' } }, signal })),
    { enabled: id !== undefined },
  )
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
  const { organization } = useWorkspace()
  const queries = useQueryClient()
  return useChange(
    (api, feedback: Feedback | null) =>
      unwrap(
        api.PUT('/v1/console/threads/{id}/turns/{turnId}/feedback', {
          params: { path: { id: threadId, turnId } },
          body: { feedback },
        }),
      ),
    ({ feedback }) =>
      queries.setQueryData<Thread>([organization.id, 'threads', threadId], (before) =>
        before === undefined
          ? undefined
          : { ...before, turns: before.turns.map((one) => (one.id === turnId ? { ...one, feedback } : one)) },
      ),
  )
}

/** Adds a rated question to the evaluation. */
export function useAddToEvaluation(threadId: string, turnId: string) {
  return useChange(
    (api) => {
      const path = { id: threadId, turnId }
      return unwrap(api.POST('/v1/console/threads/{id}/turns/{turnId}/evaluation', { params: { path } }))
    },
    ['evaluation'],
  )
}

/** Deletes one thread; all of the user's with `null`. */
export function useDeleteThreads() {
  const { organization } = useWorkspace()
  const queries = useQueryClient()
  return useChange(
    async (api, id: string | null) =>
      id === null
        ? await unwrap(api.DELETE('/v1/console/threads'))
        : await unwrap(api.DELETE('/v1/console/threads/{id}', { params: { path: { id } } })),
    async () => {
      // Hidden lists must not show deleted threads when they reappear.
      queries.removeQueries({ queryKey: [organization.id, 'threads'], type: 'inactive' })
      await queries.invalidateQueries({ queryKey: [organization.id, 'threads', 'pages'] })
    },
  )
}
