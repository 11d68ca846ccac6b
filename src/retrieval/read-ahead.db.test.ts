import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testItem } from '../../test/support/items.ts'
import { type SnapshotBench, startSnapshotBench } from '../../test/support/snapshot-bench.ts'
import type { NewItem } from '../items/index.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createFindNearest, WORDS_SHARE } from './find-nearest.ts'
import { CHUNK_WORDS_BYTES } from './row-cache.ts'

const [FIRST, MORE] = [60, 340]
/** The number of items that earlier queries match. */
const ASKED = 12
/** Each query first reads the revision, as admission does. */
const REVISION = 1

const itemsOf = (
  { organization }: Pick<SnapshotBench, 'organization'>,
  from: number,
  to: number,
  title = 'a title',
): NewItem[] =>
  Array.from({ length: to - from }, (_, at) =>
    testItem(organization, { externalId: `${from + at}`, title, body: `rare${from + at}` }),
  )

let bench: SnapshotBench
let stored = FIRST

beforeAll(async () => {
  bench = await startSnapshotBench((organization) => itemsOf({ organization }, 0, FIRST))
})
afterAll(() => bench.close())

describe('the cache of a small organization', () => {
  it('holds all rows, found before or not, also after the organization grows and after a switch to another', async () => {
    const held = createFindNearest({ db: bench.database.db, memory: bench.memory, terms: testTerms }).nearest
    const statementsAbout = async (numbers: readonly number[]): Promise<number> =>
      await bench.statementsOf(async () => {
        for (const number of numbers) await held(await bench.queryOf(`rare${number}`, { limit: 1 }))
      })
    /** Queries some items until they are cached, then expects no statements for the others. */
    const untilAllKnown = async (from: number, to: number): Promise<void> => {
      const numbers = Array.from({ length: to - from }, (_, at) => from + at)
      const statements = { timeout: 20_000, interval: 50 }
      await expect.poll(() => statementsAbout(numbers.slice(0, ASKED)), statements).toBe(ASKED * REVISION)
      // Waits for the background work itself: on a busy machine, a pause without statements proves nothing.
      await bench.untilIdle()
      const others = numbers.slice(ASKED)
      expect(await statementsAbout(others)).toBe(others.length * REVISION)
    }
    await untilAllKnown(0, FIRST)
    const from = stored
    stored += MORE
    await bench.write(itemsOf(bench, from, stored))
    await untilAllKnown(from, stored)
    await bench.write(itemsOf(bench, 0, stored, `title ${stored}`))
    await untilAllKnown(0, stored)
  })
})

describe('the words of an organization', () => {
  it('are loaded only as far as they fit into memory', async () => {
    const query = await bench.queryOf('rare1', { limit: 1 })
    const statementsWithRoomFor = async (chunks: number): Promise<number> => {
      const memory = { ...bench.memory, bytes: (chunks * CHUNK_WORDS_BYTES) / WORDS_SHARE }
      const { ranked } = createFindNearest({ db: bench.database.db, memory, terms: testTerms })
      return await bench.statementsOf(async () => {
        await ranked(query, { words: 'rare1', limit: 1 })
        await bench.untilIdle()
      })
    }
    // 128 chunks per statement.
    expect((await statementsWithRoomFor(1_000)) - (await statementsWithRoomFor(100))).toBe(
      Math.ceil(stored / 128) - 1,
    )
  })
})
