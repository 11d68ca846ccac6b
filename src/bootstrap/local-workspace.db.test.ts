import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { newApiKeySecret } from '../access/index.ts'
import { ensureLocalWorkspace } from './local-workspace.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

it('is one workspace with one key, also when instances start together on an empty database', async () => {
  const { secret } = newApiKeySecret()
  const clock = { now: () => new Date('2026-05-04T10:20:30.456Z') }
  const started = await Promise.all(
    Array.from({ length: 4 }, () => ensureLocalWorkspace(database.db, clock, secret)),
  )
  expect(new Set(started.map(({ organizationId }) => organizationId)).size).toBe(1)
  const keys = await database.db.selectFrom('api_keys').select('revoked_at').execute()
  expect(keys).toEqual([{ revoked_at: null }])
})
