import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StartupError } from '../../kernel/errors.ts'
import type { OpenDatabase } from '../database.ts'
import { createPGlite, embeddedDatabase, openEmbedded } from './embedded.ts'
import { vacuumWornTables } from './embedded-vacuum.ts'

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'embedded-'))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

describe('a data directory', () => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmbedded({ dataDir: path.join(parent, 'data') })
  }, 150_000)
  afterAll(() => database.close())

  it('keeps a second process out, with the directory and the process in the message, and stays whole', async () => {
    const dataDir = path.join(parent, 'data')
    const script = `
      import { openEmbedded } from ${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)}
      await openEmbedded({ dataDir: ${JSON.stringify(dataDir)} }).catch((error) => {
        console.log(error.name + ': ' + error.message)
      })`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
    expect(stdout).toContain(`StartupError: DATA_DIR: ${dataDir} is in use by another instance`)
    expect(stdout).toContain(`process ${process.pid}`)
    await expect(openEmbedded({ dataDir })).rejects.toThrow(StartupError)
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(database.db)
    expect(rows).toEqual([{ one: 1 }])
  })

  it('is flushed to disk at every commit', async () => {
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings
      where name in ('fsync', 'synchronous_commit', 'wal_sync_method', 'full_page_writes')
      order by name`.execute(database.db)
    expect(rows.map(({ name, setting }) => `${name}=${setting}`)).toEqual([
      'fsync=on',
      'full_page_writes=on',
      'synchronous_commit=on',
      'wal_sync_method=fsync',
    ])
    const before = await flushes(database)
    for (let i = 0; i < 5; i++)
      await sql`select pg_logical_emit_message(true, 'test', 'row')`.execute(database.db)
    expect((await flushes(database)) - before).toBeGreaterThanOrEqual(5)
  })

  it('gives everything else its turn between statements, however many wait for it', async () => {
    let turns = 0
    const counting = setInterval(() => (turns += 1), 0)
    const one = () => sql`select sum(i) from generate_series(1, 200000) as i`.execute(database.db)
    const many = async () => {
      for (let i = 0; i < 10; i++) await one()
    }
    await Promise.all([many(), many()])
    clearInterval(counting)
    expect(turns).toBeGreaterThanOrEqual(8)
  })

  it('is open to its owner alone and holds nothing half-made', async () => {
    expect((await stat(path.join(parent, 'data'))).mode & 0o777).toBe(0o700)
    expect((await readdir(path.join(parent, 'data'))).toSorted()).toEqual([
      'database',
      'database.lock',
      'database.pid',
    ])
  })
})

/** How often the write-ahead log was flushed, as the database counts it. */
async function flushes(database: OpenDatabase): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(database.db)
  const { rows } = await sql<{ fsyncs: number }>`
    select sum(fsyncs)::int as fsyncs from pg_stat_io where object = 'wal'`.execute(database.db)
  return rows[0]?.fsyncs ?? 0
}

describe('what cannot be opened', () => {
  it('is refused and left as it is: no database, another version, a file', async () => {
    const empty = path.join(parent, 'empty')
    await mkdir(path.join(empty, 'database'), { recursive: true })
    await expect(openEmbedded({ dataDir: empty })).rejects.toThrow(/holds no database/)
    const old = path.join(parent, 'old')
    await mkdir(path.join(old, 'database'), { recursive: true })
    await writeFile(path.join(old, 'database/PG_VERSION'), '17\n')
    await expect(openEmbedded({ dataDir: old })).rejects.toThrow(/PostgreSQL 17/)
    expect(await readdir(path.join(old, 'database'))).toEqual(['PG_VERSION'])
    await writeFile(path.join(parent, 'file'), '')
    await expect(openEmbedded({ dataDir: path.join(parent, 'file') })).rejects.toThrow(StartupError)
  })
})

describe('one session for all', () => {
  let database: OpenDatabase
  let vacuum: () => Promise<string[]>
  beforeAll(async () => {
    const pglite = await createPGlite({})
    vacuum = () => vacuumWornTables(pglite)
    database = embeddedDatabase(pglite, { idleTransactionMs: 200 })
  })
  afterAll(() => database.close())

  it('is taken back from a transaction that runs nothing, which then says why', async () => {
    await sql`create table notes (text text)`.execute(database.db)
    const deadlock = database.db.transaction().execute(async (tx) => {
      await sql`insert into notes values ('lost')`.execute(tx)
      // Waits for the session that this very transaction holds.
      await sql`select 1`.execute(database.db)
    })
    await expect(deadlock).rejects.toThrow(/ran no statement for 0.2 s/)
    const { rows } = await sql`select text from notes`.execute(database.db)
    expect(rows).toEqual([])
  })

  it('has its worn tables vacuumed, and only those', async () => {
    await sql`create table worn (n integer)`.execute(database.db)
    await sql`insert into worn select generate_series(1, 1000)`.execute(database.db)
    await sql`delete from worn where n <= 500`.execute(database.db)
    expect(await vacuum()).toEqual(['worn'])
    expect(await vacuum()).toEqual([])
  })
})

describe('a start', () => {
  it('that finds no way to write says where and what to do, without a stack', async () => {
    const dataDir = path.join(parent, 'unwritable')
    await mkdir(path.join(dataDir, 'database.lock'), { recursive: true })
    await expect(openEmbedded({ dataDir })).rejects.toThrow(
      new RegExp(`^DATA_DIR: ${dataDir} cannot be written .*set another DATA_DIR`),
    )
    await expect(openEmbedded({ dataDir })).rejects.toBeInstanceOf(StartupError)
  })
})
