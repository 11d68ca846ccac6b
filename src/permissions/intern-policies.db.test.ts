import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import { internPolicies } from './intern-policies.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const policyOf = (n: number) => ({ allow: [`user:${n}@example.com`], deny: [] })

it('leaves no id free below a stored one when writers store the same policies at once', async () => {
  const { db } = database
  const { id } = await insertOrganization(db)
  const intern = (...policies: number[]) => internPolicies(db, id, policies.map(policyOf))
  const given = await Promise.all([intern(1), intern(1, 2), intern(2, 3, 1), intern(4, 2, 5)])
  const rows = await db
    .selectFrom('access_policies')
    .select('id')
    .where('organization_id', '=', id)
    .orderBy('id')
    .execute()
  // Readers cache the policies up to the last id, so one that is committed later below it would stay unread.
  expect(rows.map((row) => row.id)).toEqual([1, 2, 3, 4, 5])
  expect(new Set(given.flat())).toEqual(new Set([1, 2, 3, 4, 5]))
})
