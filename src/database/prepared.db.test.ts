import { randomUUID } from 'node:crypto'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { openPostgres } from './drivers/postgres.ts'
import { encodeHalfvec } from './halfvec.ts'
import { prepare } from './prepared.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  await sql`create table notes (id integer primary key, note text not null)`.execute(database.db)
})
afterAll(() => database.close())

const TYPES = `
  select $1::uuid as id, $2::timestamptz as at, $3::bytea as bytes, $4::text[] as words, $5::int as number, $6::boolean as truth,
    $7::jsonb as json, $8::text as nothing, $9::halfvec::text as vector, $10::float8 as fraction`
const ofTypes = prepare<Record<string, unknown>>(TYPES)
const addNote = prepare<{ id: number }>(`insert into notes (id, note) values ($1, $2) returning id`)
const countNotes = prepare<{ notes: number }>(`select count(*)::int as notes from notes where id = $1::int`)
const renumber = prepare(`update notes set id = id where id = $1`)

describe('a prepared statement', () => {
  it('returns every type as an unprepared one does, run after run', async () => {
    const values = [
      randomUUID(),
      new Date('2026-03-01T12:00:00.123Z'),
      Buffer.from([0, 1, 255]),
      ['a', 'with "quotes", and {braces}'],
      7,
      false,
      JSON.stringify({ a: [1, null] }),
      null,
      encodeHalfvec([0.5, -2]),
      0.25,
    ]
    // Different text, so that it is not prepared.
    const once = await database.db.executeQuery(CompiledQuery.raw(`${TYPES} `, values))
    expect(once.rows).toMatchObject([{ id: values[0], at: values[1], words: values[3], vector: '[0.5,-2]' }])
    // From the sixth run on, PostgreSQL can cache a plan.
    for (let run = 0; run < 8; run++) expect((await ofTypes(database.db, values)).rows).toEqual(once.rows)
  })

  it('reports how many rows it changed', async () => {
    await addNote(database.db, [1, 'one'])
    expect((await renumber(database.db, [1])).numAffectedRows).toBe(1n)
    expect((await renumber(database.db, [-1])).numAffectedRows).toBe(0n)
  })

  it('fails its transaction, and leaves later ones unaffected, when it is refused', async () => {
    await addNote(database.db, [2, 'two'])
    await expect(addNote(database.db, [2, 'again'])).rejects.toMatchObject({ code: '23505' })
    const refused = database.db.transaction().execute(async (tx) => {
      await addNote(tx, [3, 'three'])
      await addNote(tx, [2, 'again']).catch(() => {})
    })
    await expect(refused).rejects.toThrow(/abort|rolled back/)
    expect((await countNotes(database.db, [3])).rows).toEqual([{ notes: 0 }])
    expect((await addNote(database.db, [3, 'three'])).rows).toEqual([{ id: 3 }])
  })

  it('belongs to its transaction and no other', async () => {
    const counted = await database.db.transaction().execute(async (tx) => {
      await addNote(tx, [4, 'four'])
      // It runs during the transaction or after it, and never sees uncommitted rows.
      const outside = countNotes(database.db, [4])
      const inside = await countNotes(tx, [4])
      if (database.url !== null) expect((await outside).rows).toEqual([{ notes: 0 }])
      return { outside, inside: inside.rows }
    })
    expect(counted.inside).toEqual([{ notes: 1 }])
    const rolledBack = database.db.transaction().execute(async (tx) => {
      await addNote(tx, [5, 'five'])
      throw new Error('given up')
    })
    await expect(rolledBack).rejects.toThrow('given up')
    expect((await countNotes(database.db, [5])).rows).toEqual([{ notes: 0 }])
  })

  it('is sent unprepared when a pooler does not keep sessions, which is reported once', async (context) => {
    if (database.url === null) return context.skip()
    let told = 0
    const pooled = await openPostgres({
      url: database.url,
      connectionsMax: 1,
      onSessionsNotKept: () => (told += 1),
    })
    try {
      for (let run = 0; run < 3; run++) {
        expect((await countNotes(pooled.db, [1])).rows).toEqual([{ notes: 1 }])
        // Another session, as a pooler gives each transaction.
        await sql`deallocate all`.execute(pooled.db)
      }
      expect(told).toBe(1)
    } finally {
      await pooled.close()
    }
  })
})
