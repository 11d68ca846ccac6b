import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import { createMigrator, migrate } from './migrate.ts'

const SOURCE = 'group:5F0C8E1A-4d2b-47b9-a6e3-1c9d7f2b8a60'
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

it('lets policies that named a group by its address in capitals match the group', async () => {
  const { db } = database
  await sql`drop schema public cascade`.execute(db)
  await sql`create schema public`.execute(db)
  expect((await createMigrator(db).migrateTo('0042_items_by_source_date')).error).toBeUndefined()
  const { id: organization_id } = await insertOrganization(db)
  const stored = {
    1: ['group:Board@Corp.com', 'group:Staff', `${SOURCE}/Eng@Corp.com`, 'user:ada@corp.com'],
    2: ['group:Board@Corp.com', 'group:board@corp.com'],
  }
  for (const [id, principals] of Object.entries(stored)) {
    const policy_id = Number(id)
    const policy = { organization_id, id: policy_id, sha256: Buffer.from(id) }
    await db.insertInto('access_policies').values(policy).execute()
    await db
      .insertInto('access_policy_principals')
      .values(principals.map((principal) => ({ organization_id, principal, policy_id, denies: false })))
      .execute()
  }
  expect(await migrate(db)).toContain('0043_group_addresses')
  const rows = await db
    .selectFrom('access_policy_principals')
    .select(['policy_id', 'principal'])
    .orderBy('policy_id')
    .execute()
  expect(rows.map(({ policy_id, principal }) => `${policy_id} ${principal}`).toSorted()).toEqual(
    [
      '1 group:board@corp.com',
      '1 group:Staff',
      `1 ${SOURCE}/Eng@Corp.com`,
      '1 user:ada@corp.com',
      '2 group:board@corp.com',
    ].toSorted(),
  )
})
