/** A proven open model that runs in this process, with its makers' instructions. */
export interface KnownModel {
  name: string
  /** When to choose it, in a few words. */
  description: string
  /** Its repository at the model hub: `owner/name`. */
  repository: string
  /** Paths in the repository, and in the local model folder. */
  files: readonly string[]
  /** Approximate size of all files in megabytes. */
  megabytes: number
  dimensions: number
  /** How token vectors are combined: their mean, or the first. */
  pooling: 'mean' | 'cls'
  /** Prefixes that it was trained with. */
  queryPrefix: string
  documentPrefix: string
}

/** Quantized weights: a quarter of the size, faster on a CPU, with almost no loss. */
const FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'] as const

/**
 * Models known by name. Pooling and prefixes come from the model cards:
 * https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2,
 * https://huggingface.co/BAAI/bge-small-en-v1.5, https://huggingface.co/intfloat/multilingual-e5-small. A
 * change here changes the vectors, so the model then needs another name.
 */
export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    name: 'all-minilm-l6-v2',
    description: 'English, the smallest and fastest',
    repository: 'Xenova/all-MiniLM-L6-v2',
    files: FILES,
    megabytes: 24,
    dimensions: 384,
    pooling: 'mean',
    queryPrefix: '',
    documentPrefix: '',
  },
  {
    name: 'bge-small-en-v1.5',
    description: 'English, more accurate',
    repository: 'Xenova/bge-small-en-v1.5',
    files: FILES,
    megabytes: 35,
    dimensions: 384,
    pooling: 'cls',
    queryPrefix: 'Represent this sentence for searching relevant passages: ',
    documentPrefix: '',
  },
  {
    name: 'multilingual-e5-small',
    description: 'about a hundred languages, also across languages',
    repository: 'Xenova/multilingual-e5-small',
    files: FILES,
    megabytes: 135,
    dimensions: 384,
    pooling: 'mean',
    queryPrefix: 'query: ',
    documentPrefix: 'passage: ',
  },
]

export function findKnownModel(name: string): KnownModel | undefined {
  return KNOWN_MODELS.find((model) => model.name === name)
}
