/** Where an embedding model runs; `openai` is any server with that API. */
export const EMBEDDING_PROVIDERS = ['builtin', 'openai', 'transformers'] as const
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number]

/** A model that turns text into unit vectors; a score is the dot product of a query's and a document's. */
export interface EmbeddingModel {
  /** Stable and versioned; stored beside every vector, so that vectors of two models are never mixed. */
  readonly id: string
  readonly dimensions: number
  /** The part of a vector that holds meaning, for a model that separates it from words. */
  readonly meaning?: MeaningPart
  /** Ids of earlier models whose vectors are moved to this model automatically. */
  readonly replaces?: readonly string[]
  /** Unit vectors of documents, in order. The title is embedded in front of the text. */
  embedDocuments(documents: readonly EmbeddingInput[], signal?: AbortSignal): Promise<Float32Array[]>
  /** The unit vector of a query, which the model gets unchanged. */
  embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array>
}

export interface EmbeddingInput {
  title: string
  text: string
}

/** A range of a vector's numbers. */
export interface MeaningPart {
  readonly from: number
  readonly length: number
}
