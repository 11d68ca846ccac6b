import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { Db } from './database.ts'
import { encodeHalfvec } from './halfvec.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  await sql`create table counters (name text primary key, value integer not null)`.execute(database.db)
})
beforeEach(async () => {
  await sql`truncate counters`.execute(database.db)
  await sql`insert into counters values ('a', 0), ('b', 0)`.execute(database.db)
})
afterAll(() => database.close())

async function values(): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; value: number }>`select name, value from counters`.execute(
    database.db,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

describe('concurrent transactions', () => {
  it('lose no update, and leave nothing when they fail', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, caller) =>
        database.db.transaction().execute(async (tx) => {
          const { rows } = await sql<{
            value: number
          }>`select value from counters where name = 'a' for update`.execute(tx)
          await setImmediate()
          await sql`update counters set value = ${(rows[0]?.value ?? 0) + 1} where name = 'a'`.execute(tx)
          if (caller % 3 === 0) throw new Error('changed my mind')
        }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(40)
    expect((await values()).a).toBe(40)
  })

  it('are not visible to other queries before they commit', async () => {
    const tx = await database.db.startTransaction().execute()
    await sql`update counters set value = 7`.execute(tx)
    // The embedded database waits here and a server reads the old state; neither reads uncommitted rows.
    const outside = values()
    await sql`update counters set value = 0 where name = 'a'`.execute(tx)
    await tx.commit().execute()
    expect([
      { a: 0, b: 7 },
      { a: 0, b: 0 },
    ]).toContainEqual(await outside)
    expect(await values()).toEqual({ a: 0, b: 7 })
  })

  it('refuse to commit after a failed statement, and continue after its savepoint', async () => {
    const swallowed = database.db.transaction().execute(async (tx) => {
      await sql`update counters set value = 5`.execute(tx)
      await sql`insert into counters values ('a', 1)`.execute(tx).catch(() => {})
    })
    await expect(swallowed).rejects.toThrow(/abort|rolled back/i)
    expect(await values()).toEqual({ a: 0, b: 0 })

    const tx = await database.db.startTransaction().execute()
    const inner = await tx.savepoint('before').execute()
    await sql`insert into counters values ('a', 1)`.execute(inner).catch(() => {})
    await inner.rollbackToSavepoint('before').execute()
    await sql`update counters set value = 9 where name = 'b'`.execute(tx)
    await tx.commit().execute()
    expect(await values()).toEqual({ a: 0, b: 9 })
  })

  it('keep the access mode they ask for', async () => {
    const written = database.db
      .transaction()
      .setAccessMode('read only')
      .setIsolationLevel('repeatable read')
      .execute((tx) => sql`update counters set value = 1`.execute(tx))
    await expect(written).rejects.toThrow(/read-only/)
  })
})

describe('a refused statement', () => {
  it("reports the database's message and the caller's stack, inside and outside a transaction", async () => {
    const again = (db: Db) => sql`insert into counters values ('a', 1)`.execute(db)
    const refusals = [() => again(database.db), () => database.db.transaction().execute(again)]
    for (const refused of refusals) {
      // One after the other, because the stack shows what awaits it at that moment.
      const error: unknown = await refused().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      expect(error).toMatchObject({
        name: 'error',
        message: expect.stringContaining('duplicate key value'),
        stack: expect.stringContaining('transactions.db.test.ts'),
        severity: 'ERROR',
        code: '23505',
        detail: 'Key (name)=(a) already exists.',
        schema: 'public',
        table: 'counters',
        constraint: 'counters_pkey',
      })
    }
  })
})

describe('a vector as bytes', () => {
  it('is stored as the same vector as its text form', async () => {
    const numbers = [0, 1, -1, 0.1, 65_504, -0.00006, 1 / 3]
    const { rows } = await sql<{ same: boolean; text: string }>`
      select ${encodeHalfvec(numbers)}::halfvec = ${`[${numbers.join(',')}]`}::halfvec as same`.execute(
      database.db,
    )
    expect(rows[0]?.same).toBe(true)
  })
})

// The embedded database has no connection to lose.
describe.runIf(process.env.TEST_DRIVER === 'postgres')('a connection lost between two statements', () => {
  it('fails its transaction and nothing else', async () => {
    const tx = await database.db.startTransaction().execute()
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    await sql`select pg_terminate_backend(${rows[0]?.pid}::int)`.execute(database.db)
    await expect(sql`select 1`.execute(tx)).rejects.toThrow(/terminat|connection/i)
    await tx
      .rollback()
      .execute()
      .catch(() => {})
    expect(await values()).toEqual({ a: 0, b: 0 })
  })
})
