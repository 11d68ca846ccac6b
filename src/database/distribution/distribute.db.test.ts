import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { insertOrganization } from '../../../test/support/organizations.ts'
import { openPostgres } from '../drivers/postgres.ts'
import { distributeNewTables, distributeTables } from './distribute.ts'
import { LAYOUT } from './layout.ts'

const isCluster = process.env.TEST_DRIVER === 'postgres' && Boolean(process.env.TEST_WORKER_URLS)
const everyTable: [string, string][] = Object.entries(LAYOUT).filter(([, placement]) => placement !== 'plain')

let database: TestDatabase

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.close())

async function placed(): Promise<[string, string][]> {
  const calls: [string, string][] = []
  await distributeTables(database.db, (table, placement) => calls.push([table, placement]))
  return calls
}

async function execute(...statements: string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database.db)
}

/** A stand-in for Citus that only records calls. The suites that run on a cluster test Citus itself. */
async function standIn(): Promise<void> {
  await execute(
    'create table pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char", autoconverted boolean)',
    `create function create_reference_table(t regclass) returns void language sql as
      $$ insert into pg_dist_partition values (t, 'n', 't', false) $$`,
    `create function create_distributed_table(t regclass, c text, colocate_with text) returns void language sql as
      $$ insert into pg_dist_partition select t, 'h', 's', false where c = 'organization_id'
         and (colocate_with = 'none' or exists (select from pg_dist_partition where logicalrelid = colocate_with::regclass)) $$`,
    `create function citus_add_local_table_to_metadata(t regclass, cascade_via_foreign_keys boolean) returns void language sql as
      $$ insert into pg_dist_partition values (t, 'n', 's', false) $$`,
    `create function truncate_local_data_after_distributing_table(t regclass) returns void language sql as $$ select $$`,
  )
}

const FORGOTTEN =
  'create table notes (organization_id uuid not null, id uuid not null, primary key (organization_id, id))'

describe.skipIf(isCluster)('a single-server database', () => {
  it('is left unchanged, whatever tables it has', async () => {
    await execute(FORGOTTEN)
    expect(await distributeNewTables(database.db)).toEqual([])
  })

  it('is left unchanged when it could be distributed but is not', async () => {
    await standIn()
    expect(await distributeNewTables(database.db)).toEqual([])
  })

  it('is distributed by the layout, in its order, and only once', async () => {
    await standIn()
    expect(await placed()).toEqual(everyTable)
    expect(await placed()).toEqual([])
  })
})

describe('a distributed database', () => {
  beforeEach(async () => {
    if (isCluster) return
    await standIn()
    await placed()
  })

  it('has nothing left to distribute', async () => {
    expect(await distributeNewTables(database.db)).toEqual([])
  })

  it('distributes a new table once', async () => {
    await execute(
      isCluster
        ? `select undistribute_table('grant_revocations')`
        : `delete from pg_dist_partition where logicalrelid = 'grant_revocations'::regclass`,
    )
    expect(await distributeNewTables(database.db)).toEqual(['grant_revocations'])
    expect(await distributeNewTables(database.db)).toEqual([])
  })

  it('is refused when the layout lacks a tenant table: the error names the table and the statement', async () => {
    await execute(FORGOTTEN)
    await expect(distributeNewTables(database.db)).rejects.toThrow(
      /"notes".*create_distributed_table\('notes', 'organization_id', colocate_with => 'subscriptions'\)/,
    )
    await execute('drop table notes')
    expect(await distributeNewTables(database.db)).toEqual([])
  })

  it('is refused when a table is in the wrong place', async () => {
    await execute(`select create_reference_table('rate_windows')`)
    await expect(distributeNewTables(database.db)).rejects.toThrow(/"rate_windows".*undistribute_table/)
  })
})

describe.runIf(isCluster)('a cluster', () => {
  it('has each table where the layout places it', async () => {
    const { rows } = await sql<{ placement: string; tables: number }>`
      select citus_table_type as placement, count(*)::int as tables from citus_tables group by 1`.execute(
      database.db,
    )
    const count = (placement: string) => Object.values(LAYOUT).filter((one) => one === placement).length
    expect(Object.fromEntries(rows.map((row) => [row.placement, row.tables]))).toEqual({
      reference: count('reference'),
      distributed: count('tenant'),
      local: count('coordinator'),
    })
  })

  it("leaves a migration's new tables undistributed until they are placed, even when they refer to each other", async () => {
    const patient = await openPostgres({ url: database.url ?? '', connectionsMax: 1, isPatient: true })
    try {
      await sql`create table a (organization_id uuid primary key references organizations (id))`.execute(
        patient.db,
      )
      await sql`create table b (organization_id uuid primary key references a (organization_id))`.execute(
        patient.db,
      )
      for (const table of ['a', 'b'])
        await sql`select create_distributed_table(${table}::regclass, 'organization_id')`.execute(patient.db)
    } finally {
      await patient.close()
    }
    expect(await distributeNewTables(database.db)).toEqual([])
  })

  it('stores synced items, whichever server holds the organization', async () => {
    for (const { id, sourceIds } of [
      await insertOrganization(database.db),
      await insertOrganization(database.db),
    ]) {
      await sql`
        insert into source_items (organization_id, id, provider, external_id, source_id, source_kind, title, body, metadata,
          content_sha256, synced_at, created_at, updated_at)
        values (${id}, ${id}, 'notion', 'x', ${sourceIds.notion}, 'file', 'T', 'b', '{}', '\\x00', now(), now(), now())`.execute(
        database.db,
      )
      await database.db.deleteFrom('sources').where('organization_id', '=', id).execute()
    }
    expect(await database.db.selectFrom('source_items').select('id').execute()).toEqual([])
  })
})
