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

describe('an audit trail from before scopes', () => {
  it("records each event's providers where they can still be known", async () => {
    const { db } = database
    await sql`drop schema public cascade`.execute(db)
    await sql`create schema public`.execute(db)
    expect((await createMigrator(db).migrateTo('0003_claims_and_removals')).error).toBeUndefined()
    const organization = await insertOrganization(db)
    const { gmail, notion } = organization.sourceIds
    const events: [action: string, target: string, metadata: object, providers: string[] | null][] = [
      ['api_key.create', 'x', { allowedProviders: ['gmail'] }, []],
      ['organization.create', 'x', {}, []],
      ['context.retrieve', 'x', { providers: ['gmail', 'slack'] }, ['gmail', 'slack']],
      ['context.retrieve', 'x', { providers: [] }, []],
      ['connector.allowlist.update', randomUUID(), { channelAllowlist: null }, ['slack']],
      ['source_item.delete', randomUUID(), { provider: 'gmail', connectorId: gmail }, ['gmail']],
      ['source.update', notion, { displayName: 'x' }, ['notion']],
      ['source.disable', randomUUID(), {}, null],
      ['sync_run.create', randomUUID(), { connectorId: gmail }, ['gmail']],
      ['source_item.ingest', randomUUID(), { documents: 3 }, null],
    ]
    for (const [action, target, metadata] of events) {
      await sql`
        insert into audit_events (organization_id, id, actor_api_key_id, action, target_type, target_id, metadata, created_at)
        values (${organization.id}, ${randomUUID()}, ${randomUUID()}, ${action},
          ${action.startsWith('source.') ? 'source' : 'other'}, ${target}, ${JSON.stringify(metadata)}, now())`.execute(
        db,
      )
    }
    await migrate(db)
    expect(await isMigrated(db)).toBe(true)
    const rows = await db
      .selectFrom('audit_events')
      .select(['action', 'target_id', 'metadata', 'providers'])
      .execute()
    const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).toSorted()
    expect(sorted(rows.map((row) => [row.action, row.target_id, row.metadata, row.providers]))).toEqual(
      sorted(events),
    )
  })
})
