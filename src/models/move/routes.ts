import { defineRoute, reply } from '../../http/route.ts'
import type { ModelMove } from './model-move.ts'
import { ModelMoveStatus } from './schemas.ts'

export interface ModelMoveServices {
  modelMove: ModelMove
}

const shared = {
  path: '/v1/maintenance/reembed',
  tag: 'Maintenance',
  access: { surface: 'agent', action: 'admin', reach: null },
  refuses: ['provider_not_allowed'],
  responses: { 200: ModelMoveStatus },
} as const

export const modelMoveRoutes = [
  defineRoute<ModelMoveServices>()({
    ...shared,
    operationId: 'startReembedding',
    method: 'POST',
    summary: 'Move all chunks to the configured embedding model',
    description:
      'Returns at once; the work continues in the background and survives restarts. Searches use the old vectors until ' +
      'all new ones are stored. A move that is already running continues.',
    audit: 'maintenance.reembed.start',
    handle: async ({ caller }, { modelMove }) => reply(200, await modelMove.start(caller)),
  }),
  defineRoute<ModelMoveServices>()({
    ...shared,
    operationId: 'getReembedding',
    method: 'GET',
    summary: 'Show the progress of a move to another embedding model',
    audit: 'none',
    handle: async ({ caller }, { modelMove }) => reply(200, await modelMove.status(caller.organizationId)),
  }),
]
