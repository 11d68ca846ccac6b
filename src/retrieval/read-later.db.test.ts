import { afterAll, beforeAll, expect, it } from 'vitest'
import { testItem } from '../../test/support/items.ts'
import { type KnownBench, startKnownBench } from '../../test/support/known-chunks.ts'
import type { Candidates, HeldCopy, WholeCopy } from '../vector-memory/index.ts'
import { createKept } from './kept-chunks.ts'
import { createReadLater } from './read-later.ts'

const ITEMS = 200
/** Of one statement. */
const READ_MAX = 32
/** A small organization is read whole once so many searches had to ask. */
const SEARCHES_BEFORE = 8
const ORDER = { lanes: 1, fold: 'halves' } as const

let bench: KnownBench
let held: HeldCopy
let copy: WholeCopy

beforeAll(async () => {
  bench = await startKnownBench((organization) =>
    Array.from({ length: ITEMS }, (_, number) =>
      testItem(organization, { externalId: `${number}`, body: `word ${number}` }),
    ),
  )
  const { organizationId, model, vector, limit } = await bench.queryOf('word')
  const taken = await bench.memory.take({ organizationId, modelId: model.id, dimensions: vector.length })
  if (!(await taken?.follow())) throw new Error('there is no copy')
  const candidates = await taken?.candidates(vector, limit, { providers: null })
  if (!taken || !candidates) throw new Error('nothing is near')
  held = taken
  copy = candidates.copy
})
afterAll(async () => {
  held.letGo()
  await bench.close()
})

it('reads a small organization whole, and gives up at the first statement beside which something is stored', async () => {
  const kept = createKept(2 ** 26)
  const readLater = createReadLater(bench.database.db, { of: () => kept })
  const query = await bench.queryOf('word')
  let { revision } = copy.stage
  let reading: Promise<void> = Promise.resolve()
  const seen: WholeCopy = {
    get stage() {
      return { revision, isConfirmed: true }
    },
    rows: copy.rows,
    written: copy.written,
    vectorNumbers: copy.vectorNumbers,
    candidates: (from, to) => copy.candidates(from, to),
    later: (act) => void (reading = act(new AbortController().signal)),
  }
  const proposed: Candidates = { keys: [], floor: 0, stage: seen.stage, copy: seen }
  const ask = (searches: number): Promise<number> =>
    bench.statementsOf(async () => {
      for (let n = 0; n < searches; n++) readLater(query, proposed, { unknown: [], order: ORDER })
      await reading
    })
  // What is stored is of a later revision than what the copy was seen to be of.
  revision -= 1
  expect(await ask(SEARCHES_BEFORE - 1)).toBe(0)
  expect(await ask(1)).toBe(1)
  expect(kept.size).toBe(0)
  expect(await ask(SEARCHES_BEFORE - 1)).toBe(0)
  revision += 1
  expect(await ask(1)).toBe(Math.ceil(ITEMS / READ_MAX))
  expect(kept.size).toBe(ITEMS)
  expect(await ask(2 * SEARCHES_BEFORE)).toBe(0)
})
