import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testItem } from '../../test/support/items.ts'
import { type SnapshotBench, startSnapshotBench } from '../../test/support/snapshot-bench.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createFindNearest } from './find-nearest.ts'

const MEANING = { from: 128, length: 256 }
const ITEMS = 400
const ORDERED = 100
const WORDS = 'apple bridge candle desert engine forest garden harbour island jungle'.split(' ')
const QUERIES = ['apple bridge', 'candle desert engine forest', 'island']

/** Similar texts, some of them equal. */
const textOf = (number: number): string =>
  Array.from({ length: 12 }, (_, at) => WORDS[((number % 350) * (at + 3) + at * at) % WORDS.length]).join(' ')

let bench: SnapshotBench

beforeAll(async () => {
  bench = await startSnapshotBench((organization) =>
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

describe('the row cache', () => {
  it('gives the same hybrid order as the database, and soon needs no statements', async () => {
    const {
      database: { db },
      memory,
    } = bench
    const alone = createFindNearest({ db, terms: testTerms }).ranked
    const held = createFindNearest({ db, terms: testTerms, memory }).ranked
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
        await bench.untilCached(ask)
      }
    }
  })

  it.each([
    ['as it is', {}],
    ['of a provider', { providers: ['notion'] }],
    ['of an author', { filter: { authorName: 'Ana' } }],
    ['of a value in metadata', { filter: { metadata: { odd: true } } }],
    ['of values that few have', { filter: { metadata: { number: 7, odd: true, none: null } } }],
  ] as const)('gives the same nearest chunks as the database: %s', async (_, asked) => {
    const held = createFindNearest({ db: bench.database.db, memory: bench.memory, terms: testTerms }).nearest
    for (const words of QUERIES) {
      const query = await bench.queryOf(words, { limit: 25, ...asked })
      const expected = await createFindNearest({ db: bench.database.db, terms: testTerms }).nearest(query)
      const compare = async (): Promise<void> => {
        const found = await held(query)
        if (found.state !== 'found' || expected.state !== 'found') throw new Error('nothing was found')
        expect(found.chunks).toEqual(expected.chunks)
        expect(await found.countCompared()).toBe(await expected.countCompared())
      }
      await compare()
      await bench.untilCached(() => held(query))
      await compare()
    }
  })

  it('does not answer a caller admitted at another or unknown revision', async () => {
    const held = createFindNearest({ db: bench.database.db, memory: bench.memory, terms: testTerms }).nearest
    const query = await bench.queryOf('island', { limit: 8 })
    await held(query)
    await bench.untilCached(() => held(query))
    for (const seenRevision of [null, 0, (query.seenRevision ?? 0) + 1])
      expect(await bench.statementsOf(() => held({ ...query, seenRevision }))).toBe(1)
    expect(await bench.statementsOf(() => held(query))).toBe(0)
  })
})
