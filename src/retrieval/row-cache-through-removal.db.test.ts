import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testItem } from '../../test/support/items.ts'
import { type SnapshotBench, startSnapshotBench } from '../../test/support/snapshot-bench.ts'
import { changeItems } from '../item-changes/index.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createFindNearest } from './find-nearest.ts'

const ITEMS = 60
const ASKED = 'apple bridge'

let bench: SnapshotBench

beforeAll(async () => {
  bench = await startSnapshotBench((organization) =>
    Array.from({ length: ITEMS }, (_, number) =>
      testItem(organization, {
        externalId: `${number}`,
        provider: number % 2 === 0 ? 'notion' : 'slack',
        body: `apple bridge number ${number}`,
        metadata: { team: 'people' },
      }),
    ),
  )
})
afterAll(() => bench.close())

/** Marks a provider's source as removed, or undoes that, which is a change of its items. */
async function mark(removedAt: Date | null): Promise<void> {
  await changeItems(bench.database.db, bench.organization.id, async (tx, changes) => {
    await tx
      .updateTable('sources')
      .set({ removed_at: removedAt })
      .where('organization_id', '=', bench.organization.id)
      .where('provider', '=', 'slack')
      .execute()
    changes.addNone()
  })
}

describe('the row cache', () => {
  it('stays valid after the removal of a source, whose items are not reported as changed', async () => {
    const held = createFindNearest({ db: bench.database.db, memory: bench.memory, terms: testTerms }).nearest
    const all = await bench.queryOf(ASKED, { limit: ITEMS })
    await held(all)
    await bench.untilCached(() => held(all))
    await mark(new Date())
    const query = await bench.queryOf(ASKED)
    const expected = await createFindNearest({ db: bench.database.db, terms: testTerms }).nearest(query)
    for (let time = 0; time < 8; time++) {
      expect(await held(query)).toMatchObject({ chunks: expected.state === 'found' && expected.chunks })
      // Caches all rows again each time.
      const others = await bench.queryOf(ASKED, { limit: ITEMS, providers: ['notion'] })
      await held(others)
    }
    await mark(null)
    const after = await bench.queryOf(ASKED, { limit: ITEMS })
    await held(after)
    await bench.untilCached(() => held(after))
  })

  it('applies the last of several filter keys that are stored as the same', async () => {
    const held = createFindNearest({ db: bench.database.db, memory: bench.memory, terms: testTerms }).nearest
    const filter = { metadata: { 'team\0': 'nobody', team: 'people' } }
    const query = await bench.queryOf(ASKED, { filter })
    const expected = await createFindNearest({ db: bench.database.db, terms: testTerms }).nearest(query)
    expect(expected).toMatchObject({ state: 'found', chunks: { length: 8 } })
    await held(query)
    await bench.untilCached(() => held(query))
    expect(await held(query)).toMatchObject({ chunks: expected.state === 'found' && expected.chunks })
  })
})
