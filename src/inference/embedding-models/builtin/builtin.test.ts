import { readFileSync } from 'node:fs'

import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import type { EmbeddingModel } from '../../embedding-model.ts'
import { loadBackgroundWeights, loadBuiltinModel } from './builtin.ts'

const StoredVectors = z.array(
  z.object({ kind: z.enum(['document', 'query']), title: z.string(), text: z.string(), vector: z.base64() }),
)
/** Written by `node training/store-vectors.ts`: float32, little-endian, base64. */
const stored = StoredVectors.parse(
  JSON.parse(readFileSync(new URL('stored-vectors.json', import.meta.url), 'utf8')),
)

let model: EmbeddingModel

beforeAll(async () => {
  model = await loadBuiltinModel()
})

async function documentVector(title: string, text: string): Promise<Float32Array> {
  const [vector] = await model.embedDocuments([{ title, text }])
  if (!vector) throw new Error('no vector')
  return vector
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, one, i) => sum + one * (b[i] ?? 0), 0)
}

function littleEndian(vector: Float32Array): string {
  const bytes = Buffer.alloc(4 * vector.length)
  for (const [i, one] of vector.entries()) bytes.writeFloatLE(one, 4 * i)
  return bytes.toString('base64')
}

describe('the built-in embedding model', () => {
  it('gives the stored vectors to the last bit, on every machine', async () => {
    expect(stored.length).toBeGreaterThanOrEqual(4)
    for (const { kind, title, text, vector } of stored) {
      const now = kind === 'query' ? await model.embedQuery(text) : await documentVector(title, text)
      expect({ text, vector: littleEndian(now) }).toEqual({ text, vector })
    }
  })

  it('gives unit vectors of its dimensions for any text, with or without words', async () => {
    const texts = [
      '',
      ' ',
      'the of and',
      '!?',
      '\u{1F600}',
      'a\0b',
      'zzqx',
      '東京',
      'word '.repeat(20_000),
      'Отпуск',
    ]
    for (const text of texts) {
      for (const vector of [await model.embedQuery(text), await documentVector('', text)]) {
        expect(vector.length).toBe(model.dimensions)
        expect(Math.sqrt(dot(vector, vector))).toBeCloseTo(1, 5)
      }
    }
  })

  it('answers with one vector a document, in order, however many there are', async () => {
    const documents = Array.from({ length: 70 }, (_, n) => ({
      title: `Page ${n}`,
      text: `Invoice number ${n}`,
    }))
    const vectors = await model.embedDocuments(documents)
    expect(vectors.length).toBe(70)
    for (const n of [0, 31, 32, 69]) {
      expect(vectors[n]).toEqual(await documentVector(`Page ${n}`, `Invoice number ${n}`))
    }
  })

  it('stops between documents when it is told to', async () => {
    const documents = Array.from({ length: 500 }, () => ({ title: 'Page', text: 'Invoice' }))
    const controller = new AbortController()
    const embedding = model.embedDocuments(documents, controller.signal)
    controller.abort(new Error('enough'))
    await expect(embedding).rejects.toThrow('enough')
    await expect(model.embedQuery('page', controller.signal)).rejects.toThrow('enough')
  })

  it('puts the document with the asked words first, before one that repeats none of them', async () => {
    const query = await model.embedQuery('expense report deadline')
    const asked = await documentVector(
      'Expenses',
      'Hand in the expense report before the deadline on the fifth.',
    )
    const other = await documentVector(
      'Parking',
      'The garage opens at seven and closes at nine in the evening.',
    )
    expect(dot(query, asked)).toBeGreaterThan(dot(query, other))
  })

  it('finds the meaning where no word is shared', async () => {
    const query = await model.embedQuery('how can I erase a picture')
    const asked = await documentVector('', 'To delete an image, open it and press the remove button.')
    const other = await documentVector('', 'The orchestra plays a symphony in the concert hall on Friday.')
    expect(dot(query, asked)).toBeGreaterThan(dot(query, other) + 0.02)
  })

  it('tells rare words from common ones', async () => {
    const weight = await loadBackgroundWeights()
    expect(weight('file')).toBeGreaterThan(0)
    expect(weight('reimburs')).toBeGreaterThan(weight('file'))
    expect(weight('nosuchstemanywhere')).toBeGreaterThanOrEqual(weight('reimburs'))
  })
})
