import type { Settings } from '../config.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { createEmbeddingModel } from '../inference/embedding-models/create-embedding-model.ts'
import { StartupError } from '../kernel/errors.ts'
import { problemOf } from '../models/index.ts'
import { embeddingSettings, modelsDir } from './model-settings.ts'

/** The embedding model that the settings name. @throws StartupError that says what to fix, also when its server fails */
export async function configuredModel(settings: Settings): Promise<EmbeddingModel> {
  try {
    return await createEmbeddingModel(embeddingSettings(settings), { modelsDir: modelsDir(settings) })
  } catch (error) {
    const problem = problemOf('embedding', error)
    if (problem === null) throw error
    const detail = problem.detail === null ? '' : ` (${problem.detail})`
    throw new StartupError(`${problem.words}${detail}`, { cause: error })
  }
}
