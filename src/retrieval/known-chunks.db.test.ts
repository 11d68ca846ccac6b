import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testItem } from '../../test/support/items.ts'
import { type KnownBench, startKnownBench } from '../../test/support/known-chunks.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createFindNearest } from './find-in-memory.ts'
import { findNearest } from './find-nearest.ts'
import { createKept } from './kept-chunks.ts'
import { createKnownChunks } from './known-chunks.ts'
import { createRankNearest } from './rank-nearest.ts'

const MEANING = { from: 128, length: 256 }
const ITEMS = 400
const ORDERED = 100
const WORDS = 'apple bridge candle desert engine forest garden harbour island jungle'.split(' ')
const QUERIES = ['apple bridge', 'candle desert engine forest', 'island']

/** Texts that are all somewhat alike, some of them equal. */
const textOf = (number: number): string =>
  Array.from({ length: 12 }, (_, at) => WORDS[((number % 350) * (at + 3) + at * at) % WORDS.length]).join(' ')

let bench: KnownBench

beforeAll(async () => {
  bench = await startKnownBench((organization) =>
    Array.from({ length: ITEMS }, (_, number) =>
      testItem(organization, {
        externalId: `${number}`,
        body: `${textOf(number)} number ${number % 350}`,
        authorName: number % 3 === 0 ? 'Ana' : 'Ben',
        metadata: { odd: number % 2 === 1, number: number % 12, list: [number], none: null },
      }),
    ),
  )
})
afterAll(() => bench.close())

describe('what is known of chunks', () => {
  it('tells the order by words too as the database alone finds it, and soon asks it of nothing', async () => {
    const {
      database: { db },
      memory,
    } = bench
    const alone = createRankNearest({ db, terms: testTerms })
    const held = createRankNearest({ db, terms: testTerms, memory })
    for (const words of QUERIES) {
      const query = await bench.queryOf(words, { limit: ORDERED, meaning: MEANING })
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
        await bench.untilKnown(ask)
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
    const held = createFindNearest({ db: bench.database.db, memory: bench.memory })
    for (const words of QUERIES) {
      const query = await bench.queryOf(words, { limit: 25, ...asked })
      const expected = await findNearest(bench.database.db, query)
      const compare = async (): Promise<void> => {
        const found = await held(query)
        if (found.state !== 'found' || expected.state !== 'found') throw new Error('nothing was found')
        expect(found.chunks).toEqual(expected.chunks)
        expect(await found.countCompared()).toBe(await expected.countCompared())
      }
      await compare()
      await bench.untilKnown(() => held(query))
      await compare()
    }
  })

  it('answers nobody who was admitted at another revision, or at one that was not looked at', async () => {
    const held = createFindNearest({ db: bench.database.db, memory: bench.memory })
    const query = await bench.queryOf('island', { limit: 8 })
    await held(query)
    await bench.untilKnown(() => held(query))
    for (const seenRevision of [null, 0, (query.seenRevision ?? 0) + 1])
      expect(await bench.statementsOf(() => held({ ...query, seenRevision }))).toBe(1)
    expect(await bench.statementsOf(() => held(query))).toBe(0)
  })

  it('is not believed any more once the database adds up in another order', async () => {
    const {
      database: { db },
      memory,
    } = bench
    const query = await bench.queryOf('candle desert', { limit: 8 })
    const expected = await findNearest(db, query)
    const kept = createKept(2 ** 24)
    const held = createFindNearest({ db, memory, known: createKnownChunks({ db, kept: { of: () => kept } }) })
    await held(query)
    await bench.untilKnown(() => held(query))
    // As if they had been kept of a server that counts otherwise.
    for (const chunk of kept.values()) chunk.squares *= 1.5
    const found = await held({ ...query, seenRevision: null })
    expect(found).toMatchObject({ state: 'found', chunks: expected.state === 'found' && expected.chunks })
  })
})
