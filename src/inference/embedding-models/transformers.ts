import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { StartupError } from '../../kernel/errors.ts'
import type { EmbeddingModel } from '../embedding-model.ts'
import { titledText, unitVector } from './unit-vector.ts'

export interface TransformersSettings {
  /** A folder with `config.json`, `tokenizer.json` and `onnx/model.onnx`, or the id of a model on the hub. */
  model: string
  /** When given, the model must have as many. */
  dimensions?: number | undefined
}

type Transformers = typeof import('@huggingface/transformers')

/** Texts that go through the model at one time: more costs memory and brings no speed on a processor. */
const BATCH_SIZE = 16

/**
 * A local ONNX model run by Transformers.js, with mean pooling over the tokens.
 * Throws StartupError when the optional package is missing, or the model cannot be loaded or has other dimensions.
 */
export async function createTransformersEmbeddingModel(
  settings: TransformersSettings,
  load: () => Promise<Transformers> = () => import('@huggingface/transformers'),
): Promise<EmbeddingModel> {
  const transformers = await loadPackage(load)
  const extract = await loadModel(transformers, settings.model)

  async function embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (let start = 0; start < texts.length; start += BATCH_SIZE) {
      signal?.throwIfAborted()
      const batch = texts.slice(start, start + BATCH_SIZE)
      const output = await extract(batch, { pooling: 'mean' })
      vectors.push(...rows(output.data, batch.length))
    }
    return vectors
  }

  const dimensions = (await embed(['dimensions']))[0]?.length ?? 0
  if (settings.dimensions !== undefined && settings.dimensions !== dimensions) {
    throw new StartupError(
      `EMBEDDING_DIMENSIONS is ${settings.dimensions}, but the model ${settings.model} gives ${dimensions}: leave it out.`,
    )
  }
  return {
    id: `transformers:${isFolder(settings.model) ? basename(resolve(settings.model)) : settings.model}:${dimensions}`,
    dimensions,
    embedDocuments: (documents, signal) => embed(documents.map(titledText), signal),
    async embedQuery(query, signal) {
      const [vector] = await embed([query], signal)
      return vector ?? new Float32Array(dimensions)
    },
  }
}

async function loadPackage(load: () => Promise<Transformers>): Promise<Transformers> {
  try {
    return await load()
  } catch (cause) {
    throw new StartupError(
      'EMBEDDING_PROVIDER=transformers needs an optional package that is not installed here or cannot be loaded. ' +
        'Install it with: npm install @huggingface/transformers',
      { cause },
    )
  }
}

async function loadModel(transformers: Transformers, model: string) {
  const folder = isFolder(model)
  if (folder) transformers.env.allowRemoteModels = false
  const name = folder ? resolve(model) : model
  // A folder often holds the quantised model alone; on the hub the full one is always there.
  const dtype = folder && !existsSync(join(name, 'onnx', 'model.onnx')) ? 'q8' : 'fp32'
  try {
    return await transformers.pipeline('feature-extraction', name, { dtype })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StartupError(`The embedding model ${model} cannot be loaded: ${reason}`, { cause })
  }
}

/** A folder is told from a hub id (`owner/name`) by being there, or by being written as a path. */
function isFolder(model: string): boolean {
  return existsSync(model) || /^(\.{0,2}\/|[A-Za-z]:\\)/.test(model)
}

function rows(data: ArrayLike<unknown>, count: number): Float32Array[] {
  const values = Float32Array.from(data, Number)
  const width = values.length / count
  return Array.from({ length: count }, (_, row) => {
    const slice = values.subarray(row * width, (row + 1) * width)
    // A text of which the model knows nothing has no direction; zeros score 0 against everything.
    return unitVector(slice) ?? new Float32Array(width)
  })
}
