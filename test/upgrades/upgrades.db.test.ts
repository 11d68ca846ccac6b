import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrator, isMigrated, migrate } from '../../src/database/migrate.ts'
import { createEmbeddingModel } from '../../src/inference/embedding-models/create-embedding-model.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { ADMIN_KEY, type Fixture, readFixture, statementsHash, textsOf } from './fixture.ts'

/** A user who left the workspace before the service recorded departures. */
const FORMER = randomUUID()

let fixture: Fixture
let database: TestDatabase
let service: TestService

beforeAll(async () => {
  fixture = await readFixture(new URL('./version-0002.json.gz', import.meta.url))
  database = await createTestDatabase()
  await makeOlder(fixture)
  await leaveWorkspace(FORMER)
  await migrate(database.db)
  const embeddingModel = await createEmbeddingModel({ provider: 'builtin' })
  service = await startTestService({ database, embeddingModel })
})
afterAll(async () => {
  await service.close()
  await database.close()
})

/** A database as the older version left it. */
async function makeOlder({ migrations, tables }: Fixture): Promise<void> {
  // Not the whole schema: the session has cached the id of the vector type.
  const present = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(database.db)
  for (const { name } of present.rows) await sql`drop table ${sql.table(name)} cascade`.execute(database.db)
  const functions = await sql<{ name: string }>`
    select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`.execute(database.db)
  for (const { name } of functions.rows) await sql`drop function ${sql.raw(name)}`.execute(database.db)
  const { error } = await createMigrator(database.db).migrateTo(Object.keys(migrations).at(-1) ?? '')
  expect(error).toBeUndefined()
  for (const [name, rows] of Object.entries(tables)) {
    const columns = Object.keys(rows[0] ?? {}).map((column) => sql.ref(column))
    await sql`
      insert into ${sql.table(name)} (${sql.join(columns)}) overriding system value
      select ${sql.join(columns)} from jsonb_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(rows)})`.execute(
      database.db,
    )
  }
  // As there, after the numbers already assigned.
  await sql`alter table embedding_models alter column id restart with 100`.execute(database.db)
}

/** A user who left the workspace, as an older version's trail has it: twice, since they returned once. */
async function leaveWorkspace(userId: string): Promise<void> {
  const { db } = database
  await sql`
    insert into users (id, issuer, subject, email, name, created_at)
    values (${userId}, 'i', 'former', 'former@example.com', 'Former', now())`.execute(db)
  for (const day of ['2026-02-01', '2026-03-01'])
    await sql`
      insert into audit_events (organization_id, id, actor_user_id, actor_api_key_id, action, target_type, target_id, metadata, created_at)
      select id, ${randomUUID()}::uuid, ${userId}::uuid, null, 'member.remove', 'user', ${userId}::text, '{}', ${new Date(day)}
      from organizations limit 1`.execute(db)
}

const listed = async (key: string): Promise<{ title: string; provider: string; id: string }[]> =>
  (await service.call('GET', '/v1/source-items?limit=100', { key })).body.sourceItems

describe('a database of an older version', () => {
  it('is upgraded by migrations whose statements are unchanged since its creation', async () => {
    expect(await isMigrated(database.db)).toBe(true)
    for (const [name, sha256] of Object.entries(fixture.migrations)) {
      const file = new URL(`../../src/database/migrations/${name}.sql`, import.meta.url)
      expect(statementsHash(await readFile(file, 'utf8')), name).toBe(sha256)
    }
  })

  it('records users who left the workspace before departures were recorded [OPS-10]', async () => {
    const former = await database.db.selectFrom('former_members').select(['user_id', 'left_at']).execute()
    expect(former).toEqual([{ user_id: FORMER, left_at: new Date('2026-03-01') }])
  })

  it('answers every search with its former first result', async () => {
    for (const { query, hits } of fixture.answered.searches) {
      const { body } = await service.call('POST', '/v1/search', { key: ADMIN_KEY, body: { query, limit: 3 } })
      expect(body.hits?.[0], JSON.stringify(body)).toMatchObject(hits[0] ?? {})
    }
  })

  it('has every item, and recognizes each when it is pushed unchanged', async () => {
    const items = await listed(ADMIN_KEY)
    const titles = ['notion', 'google_drive'].flatMap((provider) =>
      textsOf(provider, '').map(({ title }) => title),
    )
    expect(items.map(({ title }) => title).toSorted()).toEqual(titles.toSorted())
    const { body } = await service.call('GET', '/v1/sources', { key: ADMIN_KEY })
    const connectorId = body.sources.find((source: { provider: string }) => source.provider === 'notion').id
    const documents = textsOf('notion', connectorId)
    const again = await service.call('POST', '/v1/ingest', { key: ADMIN_KEY, body: { documents } })
    expect(again).toMatchObject({ status: 200, body: { ingested: 0, skipped: documents.length } })
  })

  it('limits its keys as before: one to its provider and action, and a revoked one to nothing', async () => {
    const { limitedKey: key, revokedKey } = fixture.answered
    const body = { query: 'paid time off, office plants', limit: 10 }
    const { body: found } = await service.call('POST', '/v1/search', { key, body })
    expect(found.hits.length).toBeGreaterThan(0)
    for (const { provider } of found.hits) expect(provider).toBe('notion')
    expect((await service.call('GET', '/v1/sources', { key })).status).toBe(403)
    expect((await service.call('POST', '/v1/search', { key: revokedKey, body })).status).toBe(401)
  })
})
