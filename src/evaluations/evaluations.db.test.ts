import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { untilOneWaits } from '../../test/support/lock-waits.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { createEvaluations } from './evaluations.ts'
import { deleteRun, storeMeasurement } from './runs.ts'

const AT = new Date('2026-03-02T09:00:00Z')
const clock = { now: () => AT }
const findReadable = async () => new Set<string>()
const QUESTION = { question: 'How many days?', page: 'Vacation policy', fact: null }
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

function createCaller(organizationId: string): ConsoleCaller {
  return { kind: 'console', organizationId, userId: randomUUID(), role: 'owner', allowedProviders: null }
}

it('keeps a measurement that is stored while an admin stores the same questions again', async () => {
  const { db, driver } = database
  const { id: organizationId } = await insertOrganization(db)
  const caller = createCaller(organizationId)
  const evaluations = createEvaluations({ db, clock, findReadable })
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

it('deletes a run once if two admins delete it at the same time', async () => {
  const { db, driver } = database
  const { id: organizationId } = await insertOrganization(db)
  const caller = createCaller(organizationId)
  const evaluations = createEvaluations({ db, clock, findReadable })
  await evaluations.put(caller, [QUESTION])
  const { id } = await evaluations.start(caller)
  const second = Promise.withResolvers<unknown>()
  await db.transaction().execute(async (tx) => {
    await deleteRun(tx, caller, id, AT)
    evaluations.removeRun(caller, id).then(second.resolve, second.reject)
    if (driver === 'postgres') await untilOneWaits(db)
  })
  await expect(second.promise).rejects.toMatchObject({ code: 'not_found' })
  const events = await db
    .selectFrom('audit_events')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('action', '=', 'evaluation_run.delete')
    .execute()
  expect(events).toHaveLength(1)
})
