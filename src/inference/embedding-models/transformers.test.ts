import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startModelHub } from '../../../test/support/model-hub.ts'
import { wordVectors, writeTinyOnnxModel } from '../../../test/support/tiny-onnx-model.ts'
import { StartupError } from '../../kernel/errors.ts'
import type { EmbeddingModel } from '../embedding-model.ts'
import { createEmbeddingModel } from './create-embedding-model.ts'
import { KNOWN_MODELS } from './known-models.ts'
import { createTransformersEmbeddingModel } from './transformers.ts'

let parent: string
let folder: string
let model: EmbeddingModel

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tiny-model-'))
  folder = join(parent, 'tiny')
  await writeTinyOnnxModel(folder, { north: [2, 0, 0, 0], east: [0, 2, 0, 0], up: [0, 0, 2, 0] })
  model = await createEmbeddingModel({ provider: 'transformers', model: folder })
})
afterAll(() => rm(parent, { recursive: true }))

const rounded = (vector: Float32Array): number[] => [...vector].map((value) => Math.round(value * 100) / 100)

describe('a local ONNX model', () => {
  it('returns the mean of its tokens at unit length, ignoring padding', async () => {
    const vectors = await model.embedDocuments([
      { title: '', text: 'north' },
      { title: '', text: 'north east' },
      { title: 'Up', text: 'North north north' },
    ])
    expect(vectors.map(rounded)).toEqual([
      [1, 0, 0, 0],
      [0.71, 0.71, 0, 0],
      [0.95, 0, 0.32, 0],
    ])
    expect(rounded(await model.embedQuery('EAST'))).toEqual([0, 1, 0, 0])
  })

  it('has dimensions and a name that do not depend on its folder', () => {
    expect(model).toMatchObject({ dimensions: 4, id: 'transformers:tiny:4' })
  })

  it('keeps the order over many batches', async () => {
    const words = Array.from({ length: 50 }, (_, i) => (i % 3 === 0 ? 'north' : 'up'))
    const vectors = await model.embedDocuments(words.map((text) => ({ title: '', text })))
    expect(vectors.map((vector) => (vector[0] === 1 ? 'north' : 'up'))).toEqual(words)
  })

  it('stops between batches when aborted', async () => {
    const left = AbortSignal.abort(new Error('client left'))
    await expect(model.embedDocuments([{ title: '', text: 'up' }], left)).rejects.toThrow('client left')
  })
})

/** A model in the folder where downloads are stored. */
async function storeModel(models: string, repository: string, vectors: Record<string, readonly number[]>) {
  const stored = join(models, repository)
  await writeTinyOnnxModel(stored, vectors)
  await rename(join(stored, 'onnx', 'model.onnx'), join(stored, 'onnx', 'model_quantized.onnx'))
}

describe('a model known by name', () => {
  it.each(KNOWN_MODELS)('is used as its makers say: $name', async (known) => {
    const { name, repository, pooling, queryPrefix, documentPrefix, dimensions } = known
    const vectors = wordVectors([queryPrefix, documentPrefix, 'north east'], dimensions)
    const models = join(parent, 'models')
    await storeModel(models, repository, vectors)
    const made = await createEmbeddingModel({ provider: 'transformers', model: name }, { modelsDir: models })
    expect(made).toMatchObject({ id: `local:${name}:384`, dimensions: 384 })
    // The expected vector of a text with its prefix: the first of its words' vectors, or their mean.
    const expected = (text: string): number[] => {
      const words = text.toLowerCase().match(/\w+|[^\w\s]+/g) ?? []
      const all = words.map((word) => vectors[word] ?? [])
      const sum = Array.from({ length: dimensions }, (_, i) =>
        pooling === 'cls' ? (all[0]?.[i] ?? 0) : all.reduce((total, vector) => total + (vector[i] ?? 0), 0),
      )
      return sum.map((value) => Math.round((100 * value) / Math.hypot(...sum)) / 100)
    }
    const [document] = await made.embedDocuments([{ title: 'North', text: 'east' }])
    expect(rounded(document ?? new Float32Array())).toEqual(expected(`${documentPrefix}north east`))
    expect(rounded(await made.embedQuery('east'))).toEqual(expected(`${queryPrefix}east`))
  })

  it('is refused if its folder has another model', async () => {
    const models = join(parent, 'others')
    await storeModel(models, 'Xenova/bge-small-en-v1.5', { north: [2, 0], east: [0, 2] })
    await expect(
      createEmbeddingModel({ provider: 'transformers', model: 'bge-small-en-v1.5' }, { modelsDir: models }),
    ).rejects.toThrow(/do not belong to bge-small-en-v1.5: they have 2/)
  })

  it('is downloaded once, and later starts need no network', async () => {
    const modelsDir = join(parent, 'downloaded')
    await writeTinyOnnxModel(join(parent, 'hub'), wordVectors(['north east'], 384))
    const hub = await startModelHub('Xenova/bge-small-en-v1.5', join(parent, 'hub'))
    const transformers = await import('@huggingface/transformers')
    const { remoteHost } = transformers.env
    transformers.env.remoteHost = `${hub.url}/`
    try {
      const load = () => createTransformersEmbeddingModel({ model: 'bge-small-en-v1.5', modelsDir })
      const query = await (await load()).embedQuery('north')
      expect(hub.asked).toContain('onnx/model_quantized.onnx')
      await hub.close()
      expect(await (await load()).embedQuery('north')).toEqual(query)
      const missing = createTransformersEmbeddingModel({ model: 'all-minilm-l6-v2', modelsDir })
      await expect(missing).rejects.toThrow(StartupError)
      await expect(missing).rejects.toThrow(
        `Without a network, copy its files to ${join(modelsDir, 'Xenova/all-MiniLM-L6-v2')}`,
      )
    } finally {
      transformers.env.remoteHost = remoteHost
      await hub.close()
    }
  })
})

describe('an unusable model stops the start', () => {
  it('with the command that installs the missing package', async () => {
    const missing = createTransformersEmbeddingModel({ model: folder }, () =>
      Promise.reject(new Error('not found')),
    )
    await expect(missing).rejects.toThrow(StartupError)
    await expect(missing).rejects.toThrow('node scripts/install-local-models.mjs')
  })

  it('with the name of the missing folder, and without using the network', async () => {
    const missing = createTransformersEmbeddingModel({ model: join(parent, 'nowhere') })
    await expect(missing).rejects.toThrow(StartupError)
    await expect(missing).rejects.toThrow('nowhere')
  })

  it('if other dimensions are configured', async () => {
    const other = createTransformersEmbeddingModel({ model: folder, dimensions: 384 })
    await expect(other).rejects.toThrow('EMBEDDING_DIMENSIONS is 384')
  })
})
