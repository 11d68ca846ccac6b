import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import type { Reembedding } from './reembedding.ts'

export interface ReembeddingServices {
  reembedding: Reembedding
}

const ReembeddingStatus = z
  .object({
    status: z.enum(['idle', 'running', 'succeeded']),
    model: z.string().nullable(),
    answeringModel: z.string().nullable(),
    chunksTotal: z.int().min(0),
    chunksDone: z.int().min(0),
    startedAt: z.iso.datetime().nullable(),
    finishedAt: z.iso.datetime().nullable(),
    errorMessage: z.string().nullable(),
  })
  .meta({ id: 'Reembedding' })

const shared = {
  path: '/v1/maintenance/reembed',
  tag: 'Maintenance',
  access: { surface: 'agent', action: 'admin' },
  credits: 0,
  responses: { 200: ReembeddingStatus },
} as const

export const reembeddingRoutes = [
  defineRoute<ReembeddingServices>()({
    ...shared,
    operationId: 'startReembedding',
    method: 'POST',
    summary: 'Move all chunks to the configured embedding model',
    description:
      'Returns at once; the work goes on in the background, and survives restarts. Searches use the old vectors until ' +
      'all new ones are there. A move that is running already goes on.',
    audit: 'maintenance.reembed.start',
    handle: async ({ principal }, { reembedding }) => reply(200, await reembedding.start(principal)),
  }),
  defineRoute<ReembeddingServices>()({
    ...shared,
    operationId: 'getReembedding',
    method: 'GET',
    summary: 'Show how far the move to another embedding model is',
    audit: 'none',
    handle: async ({ principal }, { reembedding }) =>
      reply(200, await reembedding.status(principal.organizationId)),
  }),
]
