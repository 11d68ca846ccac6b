import { z } from 'zod'
import { defineRoute, reply } from '../../http/route.ts'
import { DEADLINE_MS, type ModelCheck } from './model-check.ts'
import { ModelSetting, ModelTest } from './schemas.ts'

export interface ModelCheckServices {
  modelCheck: ModelCheck
}

const shared = {
  tag: 'Workspaces',
  access: { surface: 'console', role: 'admin', action: 'admin' },
  audit: 'none',
} as const

export const modelCheckRoutes = [
  defineRoute<ModelCheckServices>()({
    ...shared,
    operationId: 'consoleReadModels',
    method: 'GET',
    path: '/v1/console/models',
    summary: 'Show the language model and the embedding model of this deployment',
    responses: {
      200: z.object({
        language: ModelSetting.describe('The model that writes answers.'),
        embedding: ModelSetting.describe('The model that turns text into vectors.'),
      }),
    },
    handle: async (_request, { modelCheck }) => reply(200, modelCheck.settings),
  }),
  defineRoute<ModelCheckServices>()({
    ...shared,
    operationId: 'consoleTestModel',
    method: 'POST',
    path: '/v1/console/models/test',
    summary: 'Call a model once',
    description: `Sends a fixed text and waits at most ${DEADLINE_MS / 1000} seconds. Nothing is stored.`,
    body: z.strictObject({
      kind: z
        .enum(['language', 'embedding'])
        .meta({ description: 'The model to call.', example: 'embedding' }),
    }),
    refuses: ['not_configured'],
    responses: { 200: z.object({ test: ModelTest }) },
    handle: async ({ body, signal }, { modelCheck }) =>
      reply(200, { test: await modelCheck.test(body.kind, signal) }),
  }),
]
