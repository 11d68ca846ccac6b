import { describe, expect, it } from 'vitest'
import { hashEmbeddingModel } from '../../../test/support/hash-embedding-model.ts'
import type { EmbeddingModel } from '../embedding-model.ts'
import { tryModel } from './try-model.ts'

const good = hashEmbeddingModel()
const withDocuments = (change: (vector: Float32Array, index: number) => Float32Array): EmbeddingModel => ({
  ...good,
  embedDocuments: async (documents, signal) =>
    (await good.embedDocuments(documents, signal)).map((vector, index) => change(vector, index)),
})

describe('trying a model', () => {
  it('passes if its vectors can be searched', async () => {
    await expect(tryModel(good)).resolves.toBeUndefined()
  })

  it.each<[string, EmbeddingModel]>([
    ['dimensions instead of', withDocuments((vector) => vector.slice(1))],
    ['the length', withDocuments((vector) => vector.map((value) => value * 2))],
    ['the length', withDocuments((vector) => vector.fill(0))],
    ['the length', withDocuments((vector) => vector.fill(Number.NaN))],
    ['same vector for different texts', withDocuments((vector) => vector.fill(0).fill(1, 0, 1))],
    ['different vectors for the same text', withDocuments((vector, n) => vector.fill(0).fill(1, n, n + 1))],
    ['vectors for 3 texts', { ...good, embedDocuments: () => Promise.resolve([]) }],
    ['at most 4000', hashEmbeddingModel({ dimensions: 4001 })],
  ])('fails and says why: %s', async (words, model) => {
    await expect(tryModel(model)).rejects.toMatchObject({
      code: 'upstream_error',
      message: expect.stringContaining(words),
    })
  })
})
