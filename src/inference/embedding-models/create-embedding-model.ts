import type { EmbeddingModel, EmbeddingProvider } from '../embedding-model.ts'
import { createOpenAiEmbeddingModel, type OpenAiEmbeddingOptions } from './openai.ts'
import { createTransformersEmbeddingModel } from './transformers.ts'

export { tryModel } from './try-model.ts'

export interface EmbeddingModelSettings {
  provider: EmbeddingProvider
  baseUrl?: string | undefined
  apiKey?: string | undefined
  model?: string | undefined
  dimensions?: number | undefined
  /** The dimensions that a server uses by default; saves a request at creation. */
  knownDimensions?: number | undefined
}

const OPENAI_BASE_URL = 'https://api.openai.com/v1'
const OPENAI_MODEL = 'text-embedding-3-small'
const TRANSFORMERS_MODEL = 'Xenova/all-MiniLM-L6-v2'

/** The settings' embedding model; others are never loaded. @throws StartupError, AppError `upstream_error` */
export async function createEmbeddingModel(
  settings: EmbeddingModelSettings,
  options: OpenAiEmbeddingOptions & { modelsDir?: string } = {},
): Promise<EmbeddingModel> {
  const { baseUrl, apiKey, model, dimensions, knownDimensions } = settings
  switch (settings.provider) {
    case 'openai': {
      const server = {
        baseUrl: baseUrl ?? OPENAI_BASE_URL,
        apiKey,
        model: model ?? OPENAI_MODEL,
        dimensions,
        knownDimensions,
      }
      return await createOpenAiEmbeddingModel(server, options)
    }
    case 'transformers':
      return await createTransformersEmbeddingModel({
        model: model ?? TRANSFORMERS_MODEL,
        dimensions,
        modelsDir: options.modelsDir,
      })
    case 'builtin': {
      const { loadBuiltinModel } = await import('./builtin/builtin.ts')
      return await loadBuiltinModel()
    }
  }
}

/** The built-in model of that name, current or earlier; null: none. @throws StartupError */
export async function findBuiltinModel(name: string): Promise<EmbeddingModel | null> {
  const builtin = await import('./builtin/builtin.ts')
  return await builtin.findBuiltinModel(name)
}
