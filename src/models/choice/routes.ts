import { EMBEDDING_PROVIDERS } from '../../inference/embedding-model.ts'
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import type { ModelRegistry } from '../model-registry.ts'
import { defineRoute, reply } from '../../http/route.ts'
import {
  findKnownModel,
  isModelThere,
  isTransformersInstalled,
  KNOWN_MODELS,
} from '../../inference/embedding-models/create-embedding-model.ts'
import { DIMENSIONS_MAX } from '../../kernel/limits.ts'
import { count, text, textOrNull } from '../../kernel/schemas.ts'
import type { ModelMove } from '../move/model-move.ts'
import type { ModelChoice } from './choose-model.ts'
import { shownUrl } from './failure-words.ts'
import { Change } from './schemas.ts'

export interface ModelChoiceServices {
  modelChoice: ModelChoice
  models: ModelRegistry
  modelMove: ModelMove
  modelsDir: string
}

const url = (description: string, example: string) =>
  z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
    .max(2_000)
    .transform((value) => value.replace(/\/+$/, ''))
    .optional()
    .meta({ description, example })

const NewModel = z
  .strictObject({
    provider: z
      .enum(EMBEDDING_PROVIDERS)
      .meta({ description: 'Where the model runs: `openai` is any server of that API.', example: 'openai' }),
    model: z.string().trim().min(1).max(1_000).optional().meta({
      description:
        "The model's name at its server; for `transformers`, a known model or the absolute path of a folder.",
      example: 'nomic-embed-text',
    }),
    baseUrl: url('The server of `openai`, with its version path.', 'http://127.0.0.1:11434/v1'),
    apiKey: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .meta({ description: "The server's API key; stored encrypted.", example: 'key-of-the-server' }),
    dimensions: z.int().min(1).max(DIMENSIONS_MAX).optional().meta({
      description: 'Dimensions to request from the server.',
      example: 768,
    }),
    mirrorUrl: url('A mirror of the model hub.', 'https://hub.example.com'),
  })
  .refine(({ provider, baseUrl }) => provider !== 'openai' || baseUrl !== undefined, {
    path: ['baseUrl'],
    message: 'is needed with this provider',
  })
  .refine(({ provider, model }) => provider === 'builtin' || model !== undefined, {
    path: ['model'],
    message: 'is needed with this provider',
  })
  .refine(({ provider, model }) => provider !== 'transformers' || model === undefined || isLocal(model), {
    path: ['model'],
    message: `must be one of ${KNOWN_MODELS.map(({ name }) => name).join(', ')}, or the absolute path of a model's folder`,
  })
  .meta({ id: 'NewEmbeddingModel', description: 'The embedding model to change to.' })

const Status = z
  .object({
    model: text('The configured model, by the name stored with its vectors.', 'openai:nomic-embed-text:768'),
    provider: z.enum(EMBEDDING_PROVIDERS).meta({ description: 'Where it runs.', example: 'openai' }),
    baseUrl: textOrNull('Its server, without any secrets in the URL.', 'http://127.0.0.1:11434/v1'),
    change: Change,
    movingOrganizations: count('Workspaces still moving to it.', 1),
    chunksTotal: count('Chunks of the workspaces that are moving or have moved to it.', 8120),
    chunksDone: count('Chunks of those that have moved.', 3072),
    moveError: textOrNull('Why a move stopped; it is retried.'),
    isRuntimeInstalled: z
      .boolean()
      .meta({ description: 'Whether the optional package for local models is installed.', example: true }),
    knownModels: z
      .array(
        z.object({
          name: text('Its name.', 'bge-small-en-v1.5'),
          description: text('When to choose it.', 'English, more accurate'),
          dimensions: count('Numbers in a vector.', 384),
          megabytes: count('Approximate size of its files in megabytes.', 35),
          isThere: z.boolean().meta({ description: 'Whether its files are already there.', example: false }),
        }),
      )
      .describe('Local models known by name.'),
  })
  .meta({ id: 'EmbeddingModelStatus', description: 'The embedding model and the progress of a change.' })

const shared = {
  path: '/operator/embedding-model',
  tag: 'Operator',
  access: { surface: 'operator' },
  audit: 'none',
  responses: { 200: Status },
} as const

export const modelChoiceRoutes = [
  defineRoute<ModelChoiceServices>()({
    ...shared,
    operationId: 'operatorReadEmbeddingModel',
    method: 'GET',
    summary: 'Show the embedding model and the progress of a change',
    handle: async (_request, services) => reply(200, await readStatus(services)),
  }),
  defineRoute<ModelChoiceServices>()({
    ...shared,
    operationId: 'operatorPutEmbeddingModel',
    method: 'PUT',
    summary: 'Change to another embedding model',
    description:
      'Returns at once. In the background, the service downloads and tests the model, then activates it, also for the next start, ' +
      'and moves all chunks to it. The former model answers until they have moved, and stays if anything fails.',
    body: NewModel,
    refuses: ['embedding_model_fixed'],
    handle: async ({ body }, services) => {
      const { mirrorUrl, ...settings } = body
      services.modelChoice.choose({ settings, mirrorUrl })
      return reply(200, await readStatus(services))
    },
  }),
]

function isLocal(model: string): boolean {
  return findKnownModel(model) !== undefined || isAbsolute(model)
}

async function readStatus(services: ModelChoiceServices) {
  const { modelChoice, models, modelMove, modelsDir } = services
  const present = modelChoice.present()
  const { errorMessage: moveError, ...moves } = await modelMove.overall()
  return {
    model: models.configured.id,
    provider: present.provider,
    baseUrl: shownUrl(present),
    change: modelChoice.change(),
    ...moves,
    moveError,
    isRuntimeInstalled: isTransformersInstalled(),
    knownModels: KNOWN_MODELS.map((model) => ({
      name: model.name,
      description: model.description,
      dimensions: model.dimensions,
      megabytes: model.megabytes,
      isThere: isModelThere(modelsDir, model),
    })),
  }
}
