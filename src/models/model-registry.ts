import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { AppError } from '../kernel/errors.ts'

/** The embedding models that this process can run, by the name that is stored with their vectors. */
export interface ModelRegistry {
  /** The model of the settings: new organizations begin with it, and a re-embedding moves to it. */
  readonly configured: EmbeddingModel
  /** Makes another model the configured one. The one before goes on answering for its vectors. */
  configure(model: EmbeddingModel): void
  /**
   * null: neither the configured model, nor a built-in one, nor one whose settings are kept.
   * @throws AppError `embedding_model_mismatch` when its settings are kept, but not enough of them
   */
  find(name: string): Promise<EmbeddingModel | null>
  /** @throws AppError `embedding_model_mismatch` that says how to mend it. */
  get(name: string): Promise<EmbeddingModel>
  /** A move to another model has ended: what is kept of models that nobody needs any more can go. */
  moved(): Promise<void>
}

export interface ModelRegistryOptions {
  configured: EmbeddingModel
  /** Loads the built-in model of that name, which is always there; null: there is none. Called only when it is needed. */
  builtin: (name: string) => Promise<EmbeddingModel | null>
  former?: FormerModels
}

/** Models that the settings named before. */
export interface FormerModels {
  /**
   * Makes a model of the settings that are kept of it, without asking its server; null: none are kept.
   * @throws AppError
   */
  load(name: string): Promise<EmbeddingModel | null>
  /** Drops what is kept of models that nobody's vectors are of. */
  dropUnused(): Promise<void>
}

/** Vectors outlive settings: finds the model that stored ones belong to, or says plainly that it is not to be had. */
export function createModelRegistry({ builtin, former, ...options }: ModelRegistryOptions): ModelRegistry {
  let { configured } = options
  const nameOfConfigured = (): string => configured.id
  const loaded = new Map<string, EmbeddingModel>()
  const findFormer = async (name: string): Promise<EmbeddingModel | null> => {
    const known = loaded.get(name)
    if (known) return known
    const model = (await former?.load(name)) ?? null
    if (model === null || model.id !== name) return null
    const advising = withAdvice(model, nameOfConfigured)
    loaded.set(name, advising)
    return advising
  }
  const find = async (name: string): Promise<EmbeddingModel | null> => {
    if (name === configured.id) return configured
    // Loading costs time and memory that other names need not pay.
    if (!name.startsWith('builtin')) return await findFormer(name)
    const model = await builtin(name)
    return model?.id === name ? model : null
  }
  return {
    get configured() {
      return configured
    },
    configure(model) {
      if (model.id !== configured.id) loaded.set(configured.id, withAdvice(configured, nameOfConfigured))
      configured = model
    },
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
    async moved() {
      loaded.clear()
      await former?.dropUnused()
    },
  }
}

/** A former model whose server fails says that it is that one, and how to do without it. */
function withAdvice(model: EmbeddingModel, configuredName: () => string): EmbeddingModel {
  const explained = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'upstream_error') throw error
      throw new AppError(
        'upstream_error',
        `The stored vectors are still of the former embedding model "${model.id}", and its server failed: ${error.message} ` +
          `Bring that server back, or move to "${configuredName()}" with POST /v1/maintenance/reembed; GET shows how far it is`,
        { details: { storedModel: model.id, configuredModel: configuredName() }, cause: error.cause },
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
