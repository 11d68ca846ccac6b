import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { PERSON_REFUSALS, requireViewer } from '../http/twins.ts'
import {
  count,
  EXAMPLE_ID,
  idOf,
  moment,
  nextCursor,
  onBehalfOfQuery,
  pageCursor,
} from '../kernel/schemas.ts'
import type { Threads } from './threads.ts'
import { NewTurn, ThreadSummary, Turn, Feedback } from './schemas.ts'

export interface ThreadServices {
  threads: Threads
}

const shared = {
  tag: 'Threads (console)',
  access: { surface: 'console', role: 'member', action: 'admin' },
} as const

const define = defineRoute<ThreadServices>()
const id = idOf("The thread's ID.", EXAMPLE_ID.thread)
const TURN_BYTES_MAX = 1024 * 1024

export const threadRoutes = [
  define({
    ...shared,
    operationId: 'consoleListThreads',
    method: 'GET',
    path: '/v1/console/threads',
    summary: 'List your threads, most recently used first',
    description: 'Returns only your threads. Pass `nextCursor` as `cursor` for the next page.',
    audit: 'none',
    query: z.strictObject({
      cursor: pageCursor,
      limit: z.coerce.number().int().min(1).max(100).default(20).describe('Maximum number of threads.'),
    }),
    responses: {
      200: z.object({
        threads: z.array(ThreadSummary).describe('The threads.'),
        nextCursor,
      }),
    },
    handle: async ({ caller, query }, { threads }) => reply(200, await threads.list(caller, query)),
  }),
  define({
    ...shared,
    operationId: 'consoleCreateThread',
    method: 'POST',
    path: '/v1/console/threads',
    summary: 'Start a thread with its first question',
    description: 'A person has at most 500 threads in a workspace; the least recently used one is deleted.',
    audit: 'thread.create',
    bodyBytesMax: TURN_BYTES_MAX,
    body: NewTurn,
    responses: { 201: z.object({ thread: ThreadSummary, turn: Turn }) },
    handle: async ({ caller, body }, { threads }) => reply(201, await threads.create(caller, body)),
  }),
  define({
    ...shared,
    operationId: 'consoleDeleteThreads',
    method: 'DELETE',
    path: '/v1/console/threads',
    summary: 'Delete all your threads',
    audit: 'thread.delete',
    responses: { 200: z.object({ deleted: count('Number of deleted threads.', 3) }) },
    handle: async ({ caller }, { threads }) => reply(200, await threads.removeAll(caller)),
  }),
  define({
    ...shared,
    operationId: 'consoleGetThread',
    method: 'GET',
    path: '/v1/console/threads/{id}',
    summary: 'Get one of your threads with its questions',
    audit: 'none',
    description:
      'An answer is `withheld` if an item that it cites was deleted, or if you may no longer read it.',
    params: z.object({ id }),
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    onBehalfOf: 'query',
    refuses: PERSON_REFUSALS,
    responses: {
      200: z.object({
        thread: ThreadSummary,
        turns: z.array(Turn).describe('The questions, in the order asked.'),
      }),
    },
    handle: async ({ caller, viewer, params }, { threads }) =>
      reply(200, await threads.get(caller, requireViewer(viewer), params.id)),
  }),
  define({
    ...shared,
    operationId: 'consoleAddTurn',
    method: 'POST',
    path: '/v1/console/threads/{id}/turns',
    summary: 'Add a question to a thread',
    description: 'A thread keeps its last 50 questions, or fewer if they have over 4 MiB.',
    audit: 'thread.update',
    bodyBytesMax: TURN_BYTES_MAX,
    params: z.object({ id }),
    body: NewTurn,
    responses: { 201: z.object({ thread: ThreadSummary, turn: Turn }) },
    handle: async ({ caller, params, body }, { threads }) =>
      reply(201, await threads.add(caller, params.id, body)),
  }),
  define({
    ...shared,
    operationId: 'consoleRateTurn',
    method: 'PUT',
    path: '/v1/console/threads/{id}/turns/{turnId}/feedback',
    summary: 'Rate an answer',
    description: 'The audit trail records the feedback with the request ID of the answer.',
    audit: 'thread.feedback',
    params: z.object({ id, turnId: idOf("The turn's ID.", EXAMPLE_ID.turn) }),
    body: z
      .strictObject({
        feedback: Feedback.nullable().meta({
          description: '`useful`, `wrong` or `missing_source`; null removes it.',
          example: 'useful',
        }),
      })
      .meta({ id: 'TurnFeedback', description: 'Feedback on an answer.' }),
    responses: { 200: z.object({ feedback: Feedback.nullable().describe('The stored feedback.') }) },
    handle: async ({ caller, params, body }, { threads }) =>
      reply(200, await threads.rate(caller, params, body.feedback)),
  }),
  define({
    ...shared,
    operationId: 'consoleDeleteThread',
    method: 'DELETE',
    path: '/v1/console/threads/{id}',
    summary: 'Delete one of your threads',
    audit: 'thread.delete',
    params: z.object({ id }),
    responses: {
      200: z.object({ thread: ThreadSummary, deletedAt: moment('When it was deleted.') }),
    },
    handle: async ({ caller, params }, { threads }) => reply(200, await threads.remove(caller, params.id)),
  }),
]
