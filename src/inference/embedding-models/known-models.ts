/** A proven open model that runs in this process with quantized weights, as its makers instruct. */
export interface KnownModel {
  name: string
  /** Its repository at the model hub: `owner/name`. */
  repository: string
  dimensions: number
  /** How token vectors are combined: their mean, or the first. */
  pooling: 'mean' | 'cls'
  /** Prefixes that it was trained with. */
  queryPrefix: string
  documentPrefix: string
}

/**
 * Models known by name. Pooling and prefixes come from the model cards:
 * https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2,
 * https://huggingface.co/BAAI/bge-small-en-v1.5, https://huggingface.co/intfloat/multilingual-e5-small. A
 * change here changes the vectors, so the model then needs another name.
 */
export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    name: 'all-minilm-l6-v2',
    repository: 'Xenova/all-MiniLM-L6-v2',
    dimensions: 384,
    pooling: 'mean',
    queryPrefix: '',
    documentPrefix: '',
  },
  {
    name: 'bge-small-en-v1.5',
    repository: 'Xenova/bge-small-en-v1.5',
    dimensions: 384,
    pooling: 'cls',
    queryPrefix: 'Represent this sentence for searching relevant passages: ',
    documentPrefix: '',
  },
  {
    name: 'multilingual-e5-small',
    repository: 'Xenova/multilingual-e5-small',
    dimensions: 384,
    pooling: 'mean',
    queryPrefix: 'query: ',
    documentPrefix: 'passage: ',
  },
]

export function findKnownModel(name: string): KnownModel | undefined {
  return KNOWN_MODELS.find((model) => model.name === name)
}
