import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { AppError } from '../kernel/errors.ts'

/** The embedding models that this process can run, by the name that is stored with their vectors. */
export interface ModelRegistry {
  /** The model of the settings: new organizations begin with it, and a re-embedding moves to it. */
  readonly configured: EmbeddingModel
  /** null: neither the configured model nor the built-in one. */
  find(name: string): Promise<EmbeddingModel | null>
  /** @throws AppError `embedding_model_mismatch` that says how to mend it. */
  get(name: string): Promise<EmbeddingModel>
}

export interface ModelRegistryOptions {
  configured: EmbeddingModel
  /** Loads the built-in model, which is always there; called only when a stored name asks for it. */
  builtin: () => Promise<EmbeddingModel>
}

/** Vectors outlive settings: finds the model that stored ones belong to, or says plainly that it is not to be had. */
export function createModelRegistry({ configured, builtin }: ModelRegistryOptions): ModelRegistry {
  const find = async (name: string): Promise<EmbeddingModel | null> => {
    if (name === configured.id) return configured
    // Loading costs time and memory that other names need not pay.
    if (!name.startsWith('builtin')) return null
    const model = await builtin()
    return model.id === name ? model : null
  }
  return {
    configured,
    find,
    async get(name) {
      const model = await find(name)
      if (model) return model
      throw new AppError(
        'embedding_model_mismatch',
        `The stored vectors are of the embedding model "${name}", which this server does not have; it is set to ` +
          `"${configured.id}". Restore the embedding settings, or move to the new model with ` +
          'POST /v1/maintenance/reembed',
        { details: { storedModel: name, configuredModel: configured.id } },
      )
    },
  }
}
