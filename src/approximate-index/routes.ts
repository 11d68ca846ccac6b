import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { count, EXAMPLE_ID, idOf, momentOrNull, textOrNull } from '../kernel/schemas.ts'
import type { ApproximateIndexes } from './approximate-indexes.ts'

export interface ApproximateIndexServices {
  approximateIndexes: ApproximateIndexes
}

const ApproximateIndex = z
  .object({
    status: z.enum(['none', 'building', 'ready', 'failed']).meta({
      description: 'How far it is; `none`: it was not asked for. Searches use it while it is `ready`.',
      example: 'building',
    }),
    model: textOrNull('The embedding model whose vectors it is of.', 'openai:text-embedding-3-small:1536'),
    chunksTotal: count('Chunks of the organization with a vector of that model.', 812_000),
    chunksDone: count('Of these, chunks that are in it.', 307_200),
    bytes: count('Its size on disk.', 0),
    requestedAt: momentOrNull('When it was asked for.'),
    finishedAt: momentOrNull('When it was ready.', null),
    errorMessage: textOrNull('Why the last attempt failed; it is tried again every ten minutes.'),
  })
  .meta({ id: 'ApproximateIndex', description: "An approximate index over an organization's vectors." })

const shared = {
  path: '/operator/organizations/{id}/approximate-index',
  tag: 'Operator',
  access: { surface: 'operator' },
  credits: 0,
  audit: 'none',
  params: z.object({ id: idOf("The organization's id, from the list.", EXAMPLE_ID.organization) }),
  responses: { 200: z.object({ approximateIndex: ApproximateIndex }) },
} as const

export const approximateIndexRoutes = [
  defineRoute<ApproximateIndexServices>()({
    ...shared,
    operationId: 'operatorReadApproximateIndex',
    method: 'GET',
    summary: "Show an organization's approximate index",
    handle: async ({ params }, { approximateIndexes }) =>
      reply(200, { approximateIndex: await approximateIndexes.read(params.id) }),
  }),
  defineRoute<ApproximateIndexServices>()({
    ...shared,
    operationId: 'operatorPutApproximateIndex',
    method: 'PUT',
    summary: 'Have an approximate index built for an organization',
    description:
      'Returns at once; it is built in the background, and follows the model that answers for the organization. Once it is ' +
      'ready, searches that memory does not answer use it: they take milliseconds, and may miss passages, which the ' +
      'limitation `approximate_search` says. It is worth it for dense models alone: of the built-in one it misses up to every fifth.',
    refuses: ['approximate_index_refused'],
    handle: async ({ params, requestId }, { approximateIndexes }) =>
      reply(200, { approximateIndex: await approximateIndexes.ask(requestId, params.id) }),
  }),
  defineRoute<ApproximateIndexServices>()({
    ...shared,
    operationId: 'operatorDropApproximateIndex',
    method: 'DELETE',
    summary: "Drop an organization's approximate index: its searches are exact again",
    handle: async ({ params, requestId }, { approximateIndexes }) =>
      reply(200, { approximateIndex: await approximateIndexes.drop(requestId, params.id) }),
  }),
]
