/** Where an embedding model runs; `openai` is any server of that API. */
export const EMBEDDING_PROVIDERS = ['builtin', 'openai', 'transformers'] as const
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number]

/**
 * A model that turns text into vectors. Implementations live in `embedding-models/`.
 * Vectors are unit length, `dimensions` numbers each; a score is the dot product of a query's and a document's.
 */
export interface EmbeddingModel {
  /** Stable and versioned; stored beside every vector, so that vectors of two models are never mixed. */
  readonly id: string
  readonly dimensions: number
  /** Of a model whose vectors keep what words mean apart from which ones they are: where. */
  readonly meaning?: MeaningPart
  /** Ids of the earlier models that this one takes the place of: their vectors are moved to it without being asked. */
  readonly replaces?: readonly string[]
  /** Unit vectors of documents, in order. `title` stands in front of what is embedded. */
  embedDocuments(documents: readonly EmbeddingInput[], signal?: AbortSignal): Promise<Float32Array[]>
  /** The unit vector of a query, which is given to the model exactly as it came. */
  embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array>
}

export interface EmbeddingInput {
  title: string
  text: string
}

/** Neighbouring numbers of a vector, the first one counted from 0. */
export interface MeaningPart {
  readonly from: number
  readonly length: number
}
