import { readFileSync } from 'node:fs'

import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import type { EmbeddingModel } from '../../embedding-model.ts'
import { MODEL_ID, MODEL_IDS, type ModelId } from './artifact-format.ts'
import { findBuiltinModel, loadBuiltinModel, loadWordKnowledge } from './builtin.ts'
import { tokenize } from './tokenize.ts'

const StoredVectors = z.array(
  z.object({ kind: z.enum(['document', 'query']), title: z.string(), text: z.string(), vector: z.base64() }),
)
/** Written by `node training/store-vectors.ts`: float32, little-endian, base64. */
const storedOf = (id: ModelId) =>
  StoredVectors.parse(JSON.parse(readFileSync(new URL(`${id}.vectors.json`, import.meta.url), 'utf8')))

let model: EmbeddingModel

beforeAll(async () => {
  model = await loadBuiltinModel()
})

async function documentVector(title: string, text: string, by = model): Promise<Float32Array> {
  const [vector] = await by.embedDocuments([{ title, text }])
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
  it.each(MODEL_IDS)('reproduces the stored vectors of %s bit for bit on every machine', async (id) => {
    const stored = storedOf(id)
    const one = await loadBuiltinModel(id)
    expect(stored.length).toBeGreaterThanOrEqual(4)
    for (const { kind, title, text, vector } of stored) {
      const now = kind === 'query' ? await one.embedQuery(text) : await documentVector(title, text, one)
      expect({ text, vector: littleEndian(now) }).toEqual({ text, vector })
    }
  })

  it('is the latest, replaces the earlier ones, and finds each by name', async () => {
    expect([...(model.replaces ?? []), model.id]).toEqual([...MODEL_IDS])
    expect(model.id).toBe(MODEL_ID)
    for (const id of MODEL_IDS) expect((await findBuiltinModel(id))?.id).toBe(id)
    expect(await findBuiltinModel('builtin-0')).toBeNull()
    expect((await loadBuiltinModel('builtin-1')).replaces).toEqual([])
  })

  it('returns unit vectors of its dimensions for any text, with or without words', async () => {
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

  it('returns one vector per document, in order, for any number of documents', async () => {
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

  it('stops between documents when aborted', async () => {
    const documents = Array.from({ length: 500 }, () => ({ title: 'Page', text: 'Invoice' }))
    const controller = new AbortController()
    const embedding = model.embedDocuments(documents, controller.signal)
    controller.abort(new Error('enough'))
    await expect(embedding).rejects.toThrow('enough')
    await expect(model.embedQuery('page', controller.signal)).rejects.toThrow('enough')
  })

  it("ranks the document with the query's words above one without them", async () => {
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

  it('matches by meaning if no word is shared', async () => {
    const query = await model.embedQuery('how can I erase a picture')
    const asked = await documentVector('', 'To delete an image, open it and press the remove button.')
    const other = await documentVector('', 'The orchestra plays a symphony in the concert hall on Friday.')
    expect(dot(query, asked)).toBeGreaterThan(dot(query, other) + 0.02)
  })

  it.each([
    ['German', 'Wie lösche ich ein Bild?'],
    ['French', 'Comment supprimer une image ?'],
    ['Spanish', '¿Cómo elimino una imagen?'],
  ])('finds an English document by a question in %s', async (_language, question) => {
    const query = await model.embedQuery(question)
    const asked = await documentVector('', 'To delete a picture, open it and press the remove button.')
    const other = await documentVector('', 'The orchestra plays a symphony in the concert hall on Friday.')
    expect(dot(query, asked)).toBeGreaterThan(dot(query, other) + 0.02)
  })

  it('finds an English document by the translated words of a question', async () => {
    const dogs = await documentVector('', 'A dog must be kept on a leash.')
    const others = await documentVector('', 'The library lends books for four weeks.')
    for (const question of ['Hunde', 'chien', 'perros', 'cachorro', 'hond']) {
      const query = await model.embedQuery(question)
      expect(dot(query, dogs), question).toBeGreaterThan(dot(query, others) + 0.2)
    }
  })

  it('keeps the meaning of an English word that another language also has', async () => {
    const { translationsOf } = await loadWordKnowledge()
    for (const word of ['pain', 'gift', 'chat', 'dorm', 'podium'])
      for (const stem of tokenize(word)) expect(translationsOf(stem), word).toEqual([])
    expect(translationsOf('hund')).toEqual(['dog'])
  })

  it('weighs meaning more for a short question than for one with many rare words', async () => {
    const lexicalShare = async (question: string): Promise<number> =>
      (await model.embedQuery(question)).subarray(0, 767).reduce((sum, one) => sum + one * one, 0)
    const short = await lexicalShare('erase a picture')
    const long = await lexicalShare(
      'asynchronous replication lag of a logical standby database after a failover in PostgreSQL',
    )
    expect(short).toBeLessThan(0.55)
    expect(long).toBeGreaterThan(0.8)
  })

  it('does not treat German, French or Spanish function words as rare', async () => {
    const { backgroundWeight: weight } = await loadWordKnowledge()
    for (const word of ['der', 'nicht', 'avec', 'nous', 'para', 'porque']) {
      for (const stem of tokenize(word)) expect(weight(stem), word).toBeLessThan(weight('file'))
    }
  })

  it('distinguishes rare words from common ones', async () => {
    const { backgroundWeight: weight } = await loadWordKnowledge()
    expect(weight('file')).toBeGreaterThan(0)
    expect(weight('reimburs')).toBeGreaterThan(weight('file'))
    expect(weight('nosuchstemanywhere')).toBeGreaterThanOrEqual(weight('reimburs'))
  })
})
