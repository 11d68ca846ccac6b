import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { insertOrganization } from '../organizations/index.ts'
import {
  acquireLease,
  LEASED_TABLES,
  LeaseLost,
  releaseLease,
  releaseAllLeases,
  renewLease,
  requireLease,
  updateHeld,
} from './leases.ts'

let database: TestDatabase
let key: { organization_id: string }

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  const at = new Date()
  const id = await database.db
    .transaction()
    .execute((tx) => insertOrganization(tx, { name: 'Acme', status: 'internal', at }))
  key = { organization_id: id }
  await database.db
    .insertInto('payment_accounts')
    .values({ ...key, created_at: at })
    .execute()
})

const acquire = (seconds = 60) =>
  acquireLease(database.db, { table: 'payment_accounts', key }, { seconds, set: { attempts: 1 } })

async function acquired(seconds?: number) {
  const lease = await acquire(seconds)
  if (!lease) throw new Error('the lease is free')
  return lease
}

describe('a lease', () => {
  it('has one holder at a time, until it is released', async () => {
    const lease = await acquired()
    expect(await acquire()).toBeNull()
    expect(await releaseLease(database.db, lease, { set: { attempts: 0 } })).toBe(true)
    expect(await releaseLease(database.db, lease)).toBe(false)
    expect(await acquire()).not.toBeNull()
  })

  it('is lost once it has expired and another process has acquired it', async () => {
    const lease = await acquired(0)
    // The embedded database's clock has millisecond precision.
    await sql`select pg_sleep(0.01)`.execute(database.db)
    const other = await acquired()
    await expect(renewLease(database.db, lease, { seconds: 60 })).rejects.toThrow(LeaseLost)
    await expect(database.db.transaction().execute((tx) => requireLease(tx, lease))).rejects.toThrow(
      LeaseLost,
    )
    expect(await updateHeld(database.db, lease, { attempts: 9 })).toBe(false)
    await renewLease(database.db, other, { seconds: 60 })
    await database.db.transaction().execute((tx) => requireLease(tx, other))
  })

  it('stays unavailable for the delay given at release', async () => {
    await releaseLease(database.db, await acquired(), { waitSeconds: 60 })
    expect(await acquire()).toBeNull()
  })

  it('can be released in every table that has leases', async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.columns
      where table_schema = current_schema() and column_name like '%lease_id' order by 1`.execute(database.db)
    expect(rows.map(({ name }) => name)).toEqual(LEASED_TABLES)
  })

  it('is released with all others when no other process can be running', async () => {
    const lease = await acquired()
    await releaseAllLeases(database.db)
    expect(await releaseLease(database.db, lease)).toBe(false)
    expect(await acquire()).not.toBeNull()
  })
})
