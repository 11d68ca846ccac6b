import { z } from 'zod'
import { defineRoute, reply } from '../../http/route.ts'
import { count, text, textOrNull } from '../../kernel/schemas.ts'
import { DEADLINE_MS, type ModelCheck } from './model-check.ts'

export interface ModelCheckServices {
  modelCheck: ModelCheck
}

const ModelSetting = z
  .object({
    model: textOrNull('The model; null: none.', 'openai:gpt-4.1-mini'),
    setBy: z.enum(['environment', 'operator', 'default']).meta({
      description:
        'What chose it: the environment of the service, its operator with `model use`, or nothing (`default`).',
      example: 'environment',
    }),
    variables: z
      .array(
        z.object({
          name: text('Its name.', 'LLM_PROVIDER'),
          value: textOrNull('Its value; null for addresses and secrets, which are never shown.', 'openai'),
        }),
      )
      .describe('The environment variables of the model that are set.'),
  })
  .meta({ id: 'ModelSetting', description: 'A model of this deployment and where it is set.' })

const ModelTest = z
  .object({
    ok: z.boolean().meta({ description: 'Whether the model answered.', example: true }),
    milliseconds: count('How long the call took.', 412),
    problem: textOrNull('What failed and what to do; null: nothing failed.'),
    detail: textOrNull('Status and error code of the response of the server, if there was one.'),
  })
  .meta({ id: 'ModelTest', description: 'The result of one call of a model.' })

const shared = {
  tag: 'Workspaces',
  access: { surface: 'console', role: 'admin', action: 'admin' },
  credits: 0,
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
    handle: async (_request, { modelCheck }) => reply(200, modelCheck.describe()),
  }),
  defineRoute<ModelCheckServices>()({
    ...shared,
    operationId: 'consoleTestModel',
    method: 'POST',
    path: '/v1/console/models/test',
    summary: 'Call a model once',
    description: `Sends a fixed text and waits at most ${DEADLINE_MS / 1000} seconds. Nothing is stored.`,
    body: z.strictObject({
      kind: z.enum(['language', 'embedding']).meta({ description: 'Which model.', example: 'embedding' }),
    }),
    refuses: ['not_configured'],
    responses: { 200: z.object({ test: ModelTest }) },
    handle: async ({ body, signal }, { modelCheck }) =>
      reply(200, { test: await modelCheck.test(body.kind, signal) }),
  }),
]
