import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createModelRegistry, readModelState, type StoredModel } from '../embeddings/index.ts'
import { createItems } from '../items/index.ts'
import { createVectorMemory, type VectorMemory } from '../vector-memory/index.ts'
import { decideHowNear, findNearest, type NearestQuery } from './find-nearest.ts'
import { KeptVectors } from './kept-vectors.ts'
import { createBounding } from './near-bounds.ts'
import { createRankNearest } from './rank-nearest.ts'
import { type ChunkKey, keyText, readVectors } from './read-chunks.ts'

const model = hashEmbeddingModel({ dimensions: 512 })
const MEANING = { from: 128, length: 256 }
const ITEMS = 400
const ORDERED = 100
const WORDS = 'apple bridge candle desert engine forest garden harbour island jungle'.split(' ')
const QUERIES = ['apple bridge', 'candle desert engine forest', 'island']

/** Texts that are all somewhat alike, some of them equal. */
const textOf = (number: number): string =>
  Array.from({ length: 12 }, (_, at) => WORDS[((number % 350) * (at + 3) + at * at) % WORDS.length]).join(' ')

let database: TestDatabase
let organization: TestOrganization
let active: StoredModel
let memory: VectorMemory

beforeAll(async () => {
  database = await createTestDatabase()
  const { db } = database
  organization = await insertOrganization(db)
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  const items = createItems({ db, models, clock: { now: () => new Date('2026-03-01T12:00:00.000Z') } })
  const written = Array.from({ length: ITEMS }, (_, number) =>
    testItem(organization, { externalId: `${number}`, body: `${textOf(number)} number ${number % 350}` }),
  )
  await items.write(organization.id, written)
  const state = await readModelState(db, organization.id)
  if (state.active === null) throw new Error('nothing is stored')
  active = state.active
  memory = createVectorMemory({
    db,
    bytes: 64 * 2 ** 20,
    threads: 1,
    patience: { loadMs: 60_000, followMs: 60_000 },
    onError: (error) => {
      throw error
    },
  })
})
afterAll(async () => {
  await memory.close()
  await database.close()
})

async function queryOf(words: string): Promise<NearestQuery> {
  return {
    organizationId: organization.id,
    model: active,
    vector: await model.embedQuery(words),
    limit: ORDERED,
    meaning: MEANING,
    providers: null,
    filter: {},
    entityIds: null,
  }
}

async function allKeys(query: NearestQuery): Promise<ChunkKey[]> {
  const nearest = await findNearest(database.db, { ...query, limit: 2 * ITEMS })
  if (nearest.state !== 'found') throw new Error('nothing was found')
  return nearest.chunks.map(({ sourceItemId: itemId, position }) => ({ itemId, position }))
}

describe('the order by words too, by vectors in the process', () => {
  it.each(QUERIES)('knows between what the database will say how near a chunk is: %s', async (words) => {
    const query = await queryOf(words)
    const keys = await allKeys(query)
    expect(keys.length).toBeGreaterThan(ITEMS / 4)
    const kept = new KeptVectors()
    const boundsOf = createBounding(query.vector, query.meaning)
    const bounds = new Map(
      (await readVectors(database.db, query, keys)).map((row) => [
        keyText(row),
        boundsOf(kept.keep(keyText(row), row.vector)),
      ]),
    )
    const { nearest } = await decideHowNear(database.db, { ...query, limit: keys.length }, keys)
    if (nearest.state !== 'found') throw new Error('nothing was found')
    expect(nearest.chunks).toHaveLength(keys.length)
    for (const { sourceItemId: itemId, position, score, meaning } of nearest.chunks) {
      const { low, high } = bounds.get(keyText({ itemId, position })) ?? {}
      expect(low?.score).toBeLessThanOrEqual(score)
      expect(high?.score).toBeGreaterThanOrEqual(score)
      expect(low?.meaning).toBeLessThanOrEqual(meaning ?? NaN)
      expect(high?.meaning).toBeGreaterThanOrEqual(meaning ?? NaN)
    }
  })

  it('is what the database alone finds, and once the vectors are known it is asked of few', async () => {
    const { db } = database
    const alone = createRankNearest({ db, terms: testTerms })
    const held = createRankNearest({ db, terms: testTerms, memory })
    for (const words of QUERIES) {
      const query = await queryOf(words)
      for (const limit of [1, 8, 25]) {
        const expected = await alone(query, { words, limit })
        if (expected.state !== 'found') throw new Error('nothing was found')
        expect(expected.chunks).toHaveLength(limit)
        for (let time = 1; time <= 3; time++)
          expect(await held(query, { words, limit })).toMatchObject({
            state: 'found',
            chunks: expected.chunks,
            best: expected.best,
          })
      }
    }
    const sent = vi.spyOn(db, 'executeQuery')
    await held(await queryOf('apple bridge'), { words: 'apple bridge', limit: 8 })
    const asked = sent.mock.calls.map(([statement]) => {
      const values = 'parameters' in statement ? statement.parameters : []
      const ids = values.filter((value) => typeof value === 'string').find((value) => value.startsWith('{'))
      return ids?.split(',').length ?? 0
    })
    sent.mockRestore()
    expect(asked).toHaveLength(2)
    for (const count of asked) expect(count).toBeLessThan(ORDERED / 2)
  })
})
