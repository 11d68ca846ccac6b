import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { isMigrated, migrate, migrationsIn } from './migrate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

describe('a migrated database', () => {
  it('has nothing left to apply', async () => {
    expect(await isMigrated(database.db)).toBe(true)
    expect(await migrate(database.db)).toEqual([])
  })

  it('detects a missing migration once its record is gone', async () => {
    const tx = await database.db.startTransaction().execute()
    await sql`delete from kysely_migration`.execute(tx)
    const withoutRecord = await isMigrated(tx)
    await tx.rollback().execute()
    expect(withoutRecord).toBe(false)
    expect(await isMigrated(database.db)).toBe(true)
  })

  it('stores half-precision vectors and orders by cosine distance', async () => {
    const { rows } = await sql<{ name: string; distance: number }>`
      select name, (v <=> '[1,0,0]'::halfvec)::float8 as distance
      from (values ('same', '[2,0,0]'::halfvec), ('opposite', '[-1,0,0]'), ('square', '[0,3,0]')) as t (name, v)
      order by distance`.execute(database.db)
    expect(rows).toEqual([
      { name: 'same', distance: 0 },
      { name: 'square', distance: 1 },
      { name: 'opposite', distance: 2 },
    ])
  })
})

describe('the migrations of a running version', () => {
  it('stay the same when an upgrade adds files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
    try {
      await writeFile(join(folder, '0001_first.sql'), 'select 1;')
      const provider = migrationsIn(pathToFileURL(`${folder}/`))
      expect(Object.keys(await provider.getMigrations())).toEqual(['0001_first'])
      await writeFile(join(folder, '0002_second.sql'), 'select 2;')
      expect(Object.keys(await provider.getMigrations())).toEqual(['0001_first'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
