import { existsSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { StartupError } from '../../kernel/errors.ts'
import type { EmbeddingModel } from '../embedding-model.ts'
import { isModelThere, modelFolder } from './download-model.ts'
import { findKnownModel, type KnownModel } from './known-models.ts'
import { titledText, unitVector } from './unit-vector.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'
import { inParts } from '../../kernel/in-parts.ts'

export interface TransformersSettings {
  /** A known model's name, a folder with `config.json`, `tokenizer.json` and `onnx/model.onnx`, or an id on the hub. */
  model: string
  /** If given, the model must have this many. */
  dimensions?: number | undefined
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
  const extract = await loadModel(transformers, known ? folderOf(known, settings) : settings.model)

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
      `EMBEDDING_DIMENSIONS is ${settings.dimensions}, but the model ${settings.model} gives ${dimensions}: remove the setting.`,
    )
  }
  if (known && known.dimensions !== dimensions) {
    throw new StartupError(
      `The files in ${folderOf(known, settings)} do not belong to ${known.name}: they give ${dimensions} dimensions instead of ${known.dimensions}. Remove the folder, and download the model again.`,
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

export function isTransformersInstalled(): boolean {
  return existsSync(PACKAGE_ENTRY) || isDevelopmentPackage()
}

function isDevelopmentPackage(): boolean {
  try {
    return findPackageJSON('@huggingface/transformers', import.meta.url) !== undefined
  } catch {
    // Thrown if there is none.
    return false
  }
}

async function loadTransformers(): Promise<Transformers> {
  return existsSync(PACKAGE_ENTRY)
    ? await import(PACKAGE_ENTRY.href)
    : await import('@huggingface/transformers')
}

function folderOf(known: KnownModel, { modelsDir = 'data/models' }: TransformersSettings): string {
  if (!isModelThere(modelsDir, known)) {
    throw new StartupError(
      `The files of the embedding model ${known.name} are not in ${modelFolder(modelsDir, known)}. ` +
        `Download them with: npm run memory -- model use ${known.name}`,
    )
  }
  return resolve(modelFolder(modelsDir, known))
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

async function loadModel(transformers: Transformers, model: string) {
  const folder = isFolder(model)
  if (folder) {
    transformers.env.allowRemoteModels = false
    checkFolder(model)
  }
  const name = folder ? resolve(model) : model
  // A folder often has only the quantized model; the hub always has the full one.
  const dtype = folder && !existsSync(join(name, 'onnx', 'model.onnx')) ? 'q8' : 'fp32'
  try {
    return await transformers.pipeline('feature-extraction', name, { dtype })
  } catch (cause) {
    const reason = messageOf(cause)
    throw new StartupError(`The embedding model ${model} cannot be loaded: ${reason}`, { cause })
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
