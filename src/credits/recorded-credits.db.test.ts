import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRetrieval, aSearch } from '../../test/support/credit-use.ts'
import { creditWorkspace } from '../../test/support/credit-workspace.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { failingDatabase } from '../../test/support/failing-database.ts'
import type { NewSubscription } from '../billing/index.ts'

const START = new Date('2026-01-31T10:00:00.000Z')

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const workspace = (subscription: Partial<NewSubscription> = {}) =>
  creditWorkspace({ database, other: database, start: START }, subscription)

describe('a credit and its audit event', () => {
  it.each([
    ['under a hard cap', { tier: 'builder' }],
    ['without a cap', { status: 'internal', tier: null }],
    ['under a metered cap', { tier: 'studio' }],
    ['over a metered cap', { tier: 'studio', creditsIncluded: 0 }],
  ] as const)('are both written or neither, %s', async (_what, subscription) => {
    const { reserve, used, charged, recorded } = await workspace(subscription)
    const settleThree = async () => {
      const held = await Promise.all([reserve(), reserve(), reserve()])
      return await Promise.allSettled(held.map((one) => one.settle(aRetrieval())))
    }
    const { db } = database
    await sql`alter table audit_events rename to hidden_events`.execute(db)
    try {
      for (const { status } of await settleThree()) expect(status).toBe('rejected')
    } finally {
      await sql`alter table hidden_events rename to audit_events`.execute(db)
    }
    expect([await charged(START.toISOString()), await recorded()]).toEqual([0, 0])
    const before = (await used()) ?? 0
    for (const { status } of await settleThree()) expect(status).toBe('fulfilled')
    expect([await charged(START.toISOString()), await recorded()]).toEqual([3, 3])
    expect(await used()).toBe(before + 3)
  })

  it.each([
    ['under', { tier: 'studio' }],
    ['over', { tier: 'studio', creditsIncluded: 0 }],
  ] as const)(
    'exist for exactly the answers that succeed %s a metered cap, whichever statement fails',
    async (_, plan) => {
      const failing = failingDatabase(database)
      for (let at = 1, isOver = false; !isOver; at += 1) {
        const { organizationId, second, charged, recorded, used } = await creditWorkspace(
          { database, other: failing.database, start: START },
          plan,
        )
        const held = await Promise.all(
          Array.from({ length: 3 }, () => second.reserve(aSearch(organizationId), randomUUID())),
        )
        let served = 0
        const { failed } = await failing.during(at, 'refused', async () => {
          const outcomes = await Promise.allSettled(held.map((one) => one.settle(aRetrieval())))
          served = outcomes.filter(({ status }) => status === 'fulfilled').length
        })
        expect([await charged(START.toISOString()), await recorded(), await used()]).toEqual([
          served,
          served,
          served,
        ])
        isOver = failed === null
      }
    },
  )

  it('do not exist for a refunded answer', async () => {
    const { reserve, recorded } = await workspace()
    await (await reserve()).refund()
    expect(await recorded()).toBe(0)
  })
})
