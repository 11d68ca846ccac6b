/** A well-tried open model that runs in this process, with what its makers say about how it is to be asked. */
export interface KnownModel {
  name: string
  /** When to take it, in a few words. */
  description: string
  /** Where its files lie at the model hub: `owner/name`. */
  repository: string
  /** Paths in the repository, and in the model's folder here. */
  files: readonly string[]
  /** About what all files weigh together, in millions of bytes. */
  megabytes: number
  dimensions: number
  /** How the vectors of the tokens become one: their mean, or the first one. */
  pooling: 'mean' | 'cls'
  /** What it was trained to see in front of a query and of a document. */
  queryPrefix: string
  documentPrefix: string
}

/** The quantised weights: a quarter of the size, faster on a processor, and next to nothing lost. */
const FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'] as const

/**
 * The models that are known by name. Pooling and prefixes are those of the models' cards:
 * https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2, https://huggingface.co/BAAI/bge-small-en-v1.5,
 * https://huggingface.co/intfloat/multilingual-e5-small.
 * What is changed here of a model that somebody uses makes other vectors: it then needs another name.
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
    description: 'English, finds better',
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
    description: 'about a hundred languages, also across them',
    repository: 'Xenova/multilingual-e5-small',
    files: FILES,
    megabytes: 135,
    dimensions: 384,
    pooling: 'mean',
    queryPrefix: 'query: ',
    documentPrefix: 'passage: ',
  },
]

/** The known model of that name; undefined: there is none. */
export function findKnownModel(name: string): KnownModel | undefined {
  return KNOWN_MODELS.find((model) => model.name === name)
}
