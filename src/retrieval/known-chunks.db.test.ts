import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createModelRegistry, readModelState, type StoredModel } from '../embeddings/index.ts'
import { createItems } from '../items/index.ts'
import { createVectorMemory, type VectorMemory } from '../vector-memory/index.ts'
import { readRevision } from '../vector-memory/read-rows.ts'
import { createFindNearest } from './find-in-memory.ts'
import { findNearest, type NearestQuery } from './find-nearest.ts'
import { createKept } from './kept-chunks.ts'
import { createKnownChunks } from './known-chunks.ts'
import { createRankNearest } from './rank-nearest.ts'

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
let statements = 0
let organization: TestOrganization
let active: StoredModel
let memory: VectorMemory

beforeAll(async () => {
  database = await createTestDatabase(() => void (statements += 1))
  const { db } = database
  organization = await insertOrganization(db)
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  const items = createItems({ db, models, clock: { now: () => new Date('2026-03-01T12:00:00.000Z') } })
  const written = Array.from({ length: ITEMS }, (_, number) =>
    testItem(organization, {
      externalId: `${number}`,
      body: `${textOf(number)} number ${number % 350}`,
      authorName: number % 3 === 0 ? 'Ana' : 'Ben',
      metadata: { odd: number % 2 === 1, number: number % 12, list: [number], none: null },
    }),
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

/** As an admitted key asks. */
async function queryOf(words: string, asked: Partial<NearestQuery> = {}): Promise<NearestQuery> {
  return {
    organizationId: organization.id,
    model: active,
    vector: await model.embedQuery(words),
    limit: ORDERED,
    meaning: MEANING,
    providers: null,
    filter: {},
    entityIds: null,
    seenRevision: await readRevision(database.db, organization.id),
    ...asked,
  }
}

/** How many statements are sent while something is done. */
async function statementsOf(act: () => Promise<unknown>): Promise<number> {
  const before = statements
  await act()
  return statements - before
}

/** What is proposed for the second time is read in the background. */
async function untilKnown(ask: () => Promise<unknown>): Promise<void> {
  await expect.poll(() => statementsOf(ask), { timeout: 20_000 }).toBe(0)
}

describe('what is known of chunks', () => {
  it('tells the order by words too as the database alone finds it, and soon asks it of nothing', async () => {
    const { db } = database
    const alone = createRankNearest({ db, terms: testTerms })
    const held = createRankNearest({ db, terms: testTerms, memory })
    for (const words of QUERIES) {
      const query = await queryOf(words)
      for (const limit of [1, 8, 25]) {
        const expected = await alone(query, { words, limit })
        if (expected.state !== 'found') throw new Error('nothing was found')
        expect(expected.chunks).toHaveLength(limit)
        const ask = async () =>
          expect(await held(query, { words, limit })).toMatchObject({
            state: 'found',
            chunks: expected.chunks,
            best: expected.best,
          })
        await ask()
        await untilKnown(ask)
      }
    }
  })

  it.each([
    ['as it is', {}],
    ['of a provider', { providers: ['notion'] }],
    ['of an author', { filter: { authorName: 'Ana' } }],
    ['of a value in metadata', { filter: { metadata: { odd: true } } }],
    ['of values that few have', { filter: { metadata: { number: 7, odd: true, none: null } } }],
  ] as const)('tells the nearest as the database alone finds them: %s', async (_, asked) => {
    const held = createFindNearest({ db: database.db, memory })
    for (const words of QUERIES) {
      const query = await queryOf(words, { limit: 25, meaning: null, ...asked })
      const expected = await findNearest(database.db, query)
      const compare = async (): Promise<void> => {
        const found = await held(query)
        if (found.state !== 'found' || expected.state !== 'found') throw new Error('nothing was found')
        expect(found.chunks).toEqual(expected.chunks)
        expect(await found.countCompared()).toBe(await expected.countCompared())
      }
      await compare()
      await untilKnown(() => held(query))
      await compare()
    }
  })

  it('answers nobody who was admitted at another revision, or at one that was not looked at', async () => {
    const held = createFindNearest({ db: database.db, memory })
    const query = await queryOf('island', { limit: 8, meaning: null })
    await held(query)
    await untilKnown(() => held(query))
    for (const seenRevision of [null, 0, (query.seenRevision ?? 0) + 1])
      expect(await statementsOf(() => held({ ...query, seenRevision }))).toBe(1)
    expect(await statementsOf(() => held(query))).toBe(0)
  })

  it('is not believed any more once the database adds up in another order', async () => {
    const { db } = database
    const query = await queryOf('candle desert', { limit: 8, meaning: null })
    const expected = await findNearest(db, query)
    const kept = createKept(2 ** 24)
    const held = createFindNearest({ db, memory, known: createKnownChunks({ db, kept: { of: () => kept } }) })
    await held(query)
    await untilKnown(() => held(query))
    // As if they had been kept of a server that counts otherwise.
    for (const chunk of kept.values()) chunk.squares *= 1.5
    const found = await held({ ...query, seenRevision: null })
    expect(found).toMatchObject({ state: 'found', chunks: expected.state === 'found' && expected.chunks })
  })
})
