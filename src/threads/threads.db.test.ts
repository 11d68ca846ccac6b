import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { createThreads } from './threads.ts'

const AT = new Date('2026-03-02T09:00:00Z')
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

it('stores no thread of a person who left the workspace while the request was on its way', async () => {
  const { db } = database
  const { id: organizationId } = await insertOrganization(db)
  const userId = randomUUID()
  const threads = createThreads({ db, clock: { now: () => AT }, findReadable: async () => new Set() })
  const caller: ConsoleCaller = {
    kind: 'console',
    organizationId,
    userId,
    role: 'member',
    allowedProviders: null,
  }
  await expect(threads.create(caller, { question: 'q', answer: 'a', citations: [] })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await db.selectFrom('threads').selectAll().execute()).toEqual([])
})
