import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { Action, ActorType } from '../kernel/actions.ts'
import { createMigrator, migrate } from './migrate.ts'
import type { Tier } from './schema-words.ts'

const AT = new Date('2026-03-01T00:00:00.000Z')

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** An organization in the previous schema version, with keys from oldest to newest. */
async function organizationOf(
  tier: Tier | null,
  keys: readonly (readonly [ActorType, Action, beyond: boolean])[],
): Promise<string> {
  const { db } = database
  const organization_id = randomUUID()
  await db.insertInto('organizations').values({ id: organization_id, name: 'w', created_at: AT }).execute()
  await sql`
    insert into subscriptions (organization_id, status, tier, period_anchor, period_started_at, period_ends_at, updated_at)
    values (${organization_id}, ${tier === null ? 'internal' : 'active'}, ${tier}, ${AT}, ${AT}, ${AT}, ${AT})`.execute(
    db,
  )
  for (const [at, [actor_type, action, beyond_plan]] of keys.entries())
    await db
      .insertInto('api_keys')
      .values({
        organization_id,
        id: randomUUID(),
        name: `key ${at}`,
        prefix: 'svc_',
        secret_sha256: randomBytes(32),
        actor_type,
        allowed_actions: [action],
        beyond_plan,
        created_at: new Date(AT.getTime() + at),
      })
      .execute()
  return organization_id
}

const namesBeyond = async (organizationId: string): Promise<string[]> =>
  (
    await database.db
      .selectFrom('api_keys')
      .select('name')
      .where('organization_id', '=', organizationId)
      .where('beyond_plan', '=', true)
      .orderBy('name')
      .execute()
  ).map(({ name }) => name)

describe('the migration that counts agents by action', () => {
  it('marks the newest keys that retrieve, of any type, and no others', async () => {
    const { db } = database
    await sql`drop schema public cascade`.execute(db)
    await sql`create schema public`.execute(db)
    expect((await createMigrator(db).migrateTo('0026_item_revision')).error).toBeUndefined()
    const builder = await organizationOf('builder', [
      ['agent', 'ingest', true],
      ['application', 'search', false],
      ['agent', 'ask', true],
      ['admin', 'context', false],
    ])
    const studio = await organizationOf('studio', [
      ...Array.from({ length: 10 }, () => ['agent', 'search', false] as const),
      ['application', 'ask', false],
    ])
    const internal = await organizationOf(
      null,
      Array.from({ length: 12 }, () => ['agent', 'search', true] as const),
    )
    await migrate(db)
    expect(await namesBeyond(builder)).toEqual(['key 3'])
    expect(await namesBeyond(studio)).toEqual(['key 10'])
    expect(await namesBeyond(internal)).toEqual([])
  })
})
