import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { untilOneWaits } from '../../test/support/lock-waits.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { createEvaluations } from './evaluations.ts'
import { storeMeasurement } from './runs.ts'

const AT = new Date('2026-03-02T09:00:00Z')
const QUESTION = { question: 'How many days?', page: 'Vacation policy', fact: null }
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

it('keeps a measurement that is stored while an admin stores the same questions again', async () => {
  const { db, driver } = database
  const { id: organizationId } = await insertOrganization(db)
  const userId = randomUUID()
  const caller: ConsoleCaller = {
    kind: 'console',
    organizationId,
    userId,
    role: 'owner',
    allowedProviders: null,
  }
  const evaluations = createEvaluations({ db, clock: { now: () => AT }, findReadable: async () => new Set() })
  await evaluations.put(caller, [QUESTION])
  const { id } = await evaluations.start(caller)
  const [{ id: questionId } = { id: '' }] = await evaluations.questions(organizationId)
  const measured = {
    rank: 2,
    hasFact: null,
    change: 'new',
    answer: '',
    citations: [],
    contextItemIds: [],
  } as const
  const stored = Promise.withResolvers<unknown>()
  await db.transaction().execute(async (tx) => {
    await storeMeasurement(
      tx,
      caller,
      { id, questionId },
      { ...measured, citations: [], contextItemIds: [] },
      AT,
    )
    evaluations.put(caller, [QUESTION]).then(stored.resolve, stored.reject)
    if (driver === 'postgres') await untilOneWaits(db)
  })
  await stored.promise
  expect(await evaluations.questions(organizationId)).toMatchObject([{ lastRank: 2 }])
})
