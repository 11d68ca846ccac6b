import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { StartupError } from '../../kernel/errors.ts'
import type { EmbeddingModel } from '../embedding-model.ts'
import { findKnownModel, type KnownModel } from './known-models.ts'
import { titledText, unitVector } from './unit-vector.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'
import { inParts } from '../../kernel/in-parts.ts'

export interface TransformersSettings {
  /** A known model's name, a folder with `config.json`, `tokenizer.json` and `onnx/model.onnx`, or an id on the hub. */
  model: string
  /** If given, the model must have this many. */
  dimensions?: number | undefined
  /** Where models of the hub are stored. */
  modelsDir?: string | undefined
}

type Transformers = typeof import('@huggingface/transformers')

/** Texts per batch: more cost memory and bring no speed on a CPU. */
const BATCH_SIZE = 16

/**
 * The folder where scripts/install-local-models.mjs installs the package: outside node_modules, which updates empty.
 */
const PACKAGE_ENTRY = new URL(
  '../../../.runtime/local-models/node_modules/@huggingface/transformers/dist/transformers.node.mjs',
  import.meta.url,
)

/** A local ONNX model run by Transformers.js, by default with mean pooling. @throws StartupError */
export async function createTransformersEmbeddingModel(
  settings: TransformersSettings,
  load: () => Promise<Transformers> = loadTransformers,
): Promise<EmbeddingModel> {
  const known = findKnownModel(settings.model)
  const { pooling, queryPrefix, documentPrefix } = known ?? ANY_MODEL
  const transformers = await loadPackage(load)
  const extract = await loadModel(transformers, settings, known)

  async function embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (const batch of inParts(texts, BATCH_SIZE)) {
      signal?.throwIfAborted()
      const output = await extract(batch, { pooling })
      vectors.push(...rows(output.data, batch.length))
    }
    return vectors
  }

  const dimensions = (await embed(['dimensions']))[0]?.length ?? 0
  if (settings.dimensions !== undefined && settings.dimensions !== dimensions) {
    throw new StartupError(
      `EMBEDDING_DIMENSIONS is ${settings.dimensions}, but the model ${settings.model} has ${dimensions}: remove the setting.`,
    )
  }
  if (known && known.dimensions !== dimensions) {
    throw new StartupError(
      `The stored files of ${known.repository} do not belong to ${known.name}: they have ${dimensions} dimensions instead of ${known.dimensions}. Remove the folder to download them again.`,
    )
  }
  return {
    id: known ? `local:${known.name}:${dimensions}` : `transformers:${nameOf(settings.model)}:${dimensions}`,
    dimensions,
    embedDocuments: (documents, signal) =>
      embed(
        documents.map((document) => documentPrefix + titledText(document)),
        signal,
      ),
    async embedQuery(query, signal) {
      const [vector] = await embed([queryPrefix + query], signal)
      return vector ?? new Float32Array(dimensions)
    },
  }
}

const ANY_MODEL = { pooling: 'mean', queryPrefix: '', documentPrefix: '' } as const

async function loadTransformers(): Promise<Transformers> {
  return existsSync(PACKAGE_ENTRY)
    ? await import(PACKAGE_ENTRY.href)
    : await import('@huggingface/transformers')
}

function nameOf(model: string): string {
  return isFolder(model) ? basename(resolve(model)) : model
}

async function loadPackage(load: () => Promise<Transformers>): Promise<Transformers> {
  try {
    return await load()
  } catch (cause) {
    throw new StartupError(
      'EMBEDDING_PROVIDER=transformers needs an optional package that is not installed here or cannot be loaded. ' +
        'Install it with: node scripts/install-local-models.mjs',
      { cause },
    )
  }
}

/** @throws StartupError that lists what a model's folder must contain */
function checkFolder(folder: string): void {
  const weights = ['model.onnx', 'model_quantized.onnx'].map((file) => join('onnx', file))
  const isThere = (file: string): boolean => existsSync(join(folder, file))
  if (['config.json', 'tokenizer.json'].every(isThere) && weights.some(isThere)) return
  throw new StartupError(
    `The folder ${folder} is not an embedding model: it must contain config.json, tokenizer.json and onnx/model.onnx (or onnx/model_quantized.onnx).`,
  )
}

/** Loads a model from its folder, or from the hub, which stores its files in `modelsDir`. @throws StartupError */
async function loadModel(
  { env, pipeline }: Transformers,
  { model, modelsDir = 'data/models' }: TransformersSettings,
  known: KnownModel | undefined,
) {
  const folder = known === undefined && isFolder(model) ? resolve(model) : null
  if (folder !== null) checkFolder(folder)
  env.localModelPath = resolve(modelsDir)
  env.cacheDir = env.localModelPath
  const name = folder ?? known?.repository ?? model
  // A folder often has only the quantized model; the hub always has the full one.
  const isQuantized = folder === null ? known !== undefined : !existsSync(join(folder, 'onnx', 'model.onnx'))
  try {
    return await pipeline('feature-extraction', name, {
      dtype: isQuantized ? 'q8' : 'fp32',
      local_files_only: folder !== null,
    })
  } catch (cause) {
    const remedy =
      folder === null ? ` Without a network, copy its files to ${join(env.localModelPath, name)}.` : ''
    throw new StartupError(`The embedding model ${model} cannot be loaded: ${messageOf(cause)}.${remedy}`, {
      cause,
    })
  }
}

/** A folder exists or is written as a path; a hub id is `owner/name`. */
function isFolder(model: string): boolean {
  return existsSync(model) || /^(\.{0,2}\/|[A-Za-z]:\\)/.test(model)
}

function rows(data: ArrayLike<unknown>, count: number): Float32Array[] {
  const values = Float32Array.from(data, Number)
  const width = values.length / count
  return Array.from({ length: count }, (_, row) => {
    const slice = values.subarray(row * width, (row + 1) * width)
    // A text of unknown tokens has no direction; zeros score 0 against everything.
    return unitVector(slice) ?? new Float32Array(width)
  })
}
