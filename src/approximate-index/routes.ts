import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { EXAMPLE_ID, idOf } from '../kernel/schemas.ts'
import type { ApproximateIndexes } from './approximate-indexes.ts'
import { ApproximateIndex } from './schemas.ts'

export interface ApproximateIndexServices {
  approximateIndexes: ApproximateIndexes
}

const shared = {
  path: '/operator/organizations/{id}/approximate-index',
  tag: 'Operator',
  access: { surface: 'operator' },
  audit: 'none',
  params: z.object({ id: idOf("The organization's ID, from the list.", EXAMPLE_ID.organization) }),
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
    summary: 'Build an approximate index for an organization',
    description:
      "Returns at once. The index is built in the background, and rebuilt when the organization's model changes. Once it is " +
      'ready, searches without a snapshot in memory use it: they take milliseconds but may miss passages, and have the ' +
      'limitation `approximate_search`. Use it only with dense models: with the built-in model, it misses up to one passage in five.',
    refuses: ['approximate_index_refused'],
    handle: async ({ params, requestId }, { approximateIndexes }) =>
      reply(200, { approximateIndex: await approximateIndexes.ask(requestId, params.id) }),
  }),
  defineRoute<ApproximateIndexServices>()({
    ...shared,
    operationId: 'operatorDropApproximateIndex',
    method: 'DELETE',
    summary: "Drop an organization's approximate index",
    handle: async ({ params, requestId }, { approximateIndexes }) =>
      reply(200, { approximateIndex: await approximateIndexes.drop(requestId, params.id) }),
  }),
]
