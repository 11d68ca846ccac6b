import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { AppError } from '../kernel/errors.ts'
import type { StoredModelSettings } from './stored-settings.ts'

/** The embedding models that this process can run, by the name stored with their vectors. */
export interface ModelRegistry {
  /** The model of the settings: new organizations start with it, and a re-embedding moves to it. */
  readonly configured: EmbeddingModel
  /** null: not configured, built-in, or stored. @throws AppError `embedding_model_mismatch` for incomplete settings */
  find(name: string): Promise<EmbeddingModel | null>
  /** @throws AppError `embedding_model_mismatch` that says how to fix it */
  get(name: string): Promise<EmbeddingModel>
  /** Call when a move has ended: drops stored settings that no longer serve any vectors. */
  moved(): Promise<void>
}

export interface ModelRegistryOptions {
  configured: EmbeddingModel
  /** Loads the built-in model of that name; null: none. Called only when needed. */
  builtin: (name: string) => Promise<EmbeddingModel | null>
  /** The settings of former models; absent, there are none. */
  stored?: Pick<StoredModelSettings, 'load' | 'dropUnused'>
}

/** Vectors outlive settings, so this finds the model of stored vectors or explains why it is unavailable. */
export function createModelRegistry({ configured, builtin, stored }: ModelRegistryOptions): ModelRegistry {
  const loaded = new Map<string, EmbeddingModel>()
  const findFormer = async (name: string): Promise<EmbeddingModel | null> => {
    const known = loaded.get(name)
    if (known) return known
    const model = (await stored?.load(name)) ?? null
    if (model === null || model.id !== name) return null
    const advising = withAdvice(model, configured.id)
    loaded.set(name, advising)
    return advising
  }
  const find = async (name: string): Promise<EmbeddingModel | null> => {
    if (name === configured.id) return configured
    // Loads the built-in model only for its names, because that costs time and memory.
    if (!name.startsWith('builtin')) return await findFormer(name)
    const model = await builtin(name)
    return model?.id === name ? model : null
  }
  return {
    configured,
    find,
    async get(name) {
      const model = await find(name)
      if (model) return model
      throw new AppError(
        'embedding_model_mismatch',
        `The stored vectors belong to the embedding model "${name}", which is not configured here; the configured model is ` +
          `"${configured.id}". Restore the embedding settings, or move to the new model with ` +
          'POST /v1/maintenance/reembed',
        { details: { storedModel: name, configuredModel: configured.id } },
      )
    },
    async moved() {
      loaded.clear()
      await stored?.dropUnused()
    },
  }
}

/** If a former model's server fails, the error says so and how to do without that model. */
function withAdvice(model: EmbeddingModel, configuredName: string): EmbeddingModel {
  const explained = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'upstream_error') throw error
      throw new AppError(
        'upstream_error',
        `The stored vectors still belong to the former embedding model "${model.id}", and its server failed: ${error.message} ` +
          `Restore that server, or move to "${configuredName}" with POST /v1/maintenance/reembed; GET shows the progress`,
        { details: { storedModel: model.id, configuredModel: configuredName }, cause: error.cause },
      )
    }
  }
  return {
    id: model.id,
    dimensions: model.dimensions,
    embedDocuments: (documents, signal) => explained(model.embedDocuments(documents, signal)),
    embedQuery: (query, signal) => explained(model.embedQuery(query, signal)),
  }
}
