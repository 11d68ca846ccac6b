import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import { createMigrator, isMigrated, migrate } from './migrate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** What the previous schema version stored for an item that a sync run brought. */
async function storeItem(organizationId: string, sourceId: string, externalId: string, metadata: object) {
  const id = randomUUID()
  await sql`
    insert into source_items (organization_id, id, provider, external_id, source_id, source_kind, title, body, metadata,
      content_sha256, synced_at, created_at, updated_at)
    values (${organizationId}, ${id}, 'google_drive', ${externalId}, ${sourceId}, 'file', 'T', 'b',
      ${JSON.stringify(metadata)}, '\\x00', now(), now(), now())`.execute(database.db)
  return id
}

describe('a database from before claims', () => {
  it('keeps synced items, each claimed by its source, and leaves pushed documents unchanged', async () => {
    const { db } = database
    await sql`drop schema public cascade`.execute(db)
    await sql`create schema public`.execute(db)
    const { error } = await createMigrator(db).migrateTo('0002_connectors')
    expect(error).toBeUndefined()
    const organization = await insertOrganization(db)
    const sourceId = organization.sourceIds.google_drive
    const told = await storeItem(organization.id, sourceId, 'my/b', {
      accessPolicy: { visibility: 'private' },
    })
    const untold = await storeItem(organization.id, sourceId, 'my/A', {})
    await storeItem(organization.id, sourceId, 'pushed', {})
    await sql`
      insert into synced_items (organization_id, source_item_id, snapshot)
      values (${organization.id}, ${told}, 'crawl-1'), (${organization.id}, ${untold}, null)`.execute(db)

    expect(await migrate(db)).toContain('0003_claims_and_removals')
    expect(await isMigrated(db)).toBe(true)
    const claims = await db.selectFrom('synced_items').selectAll().orderBy('external_id').execute()
    const claim = { organization_id: organization.id, source_id: sourceId }
    expect(claims).toEqual([
      { ...claim, external_id: 'my/A', source_item_id: untold, snapshot: null, has_policy: false },
      { ...claim, external_id: 'my/b', source_item_id: told, snapshot: 'crawl-1', has_policy: true },
    ])
    const items = await db.selectFrom('source_items').select('external_id').execute()
    expect(items.map((item) => item.external_id).toSorted()).toEqual(['my/A', 'my/b', 'pushed'])
  })
})
