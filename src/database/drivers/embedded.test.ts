import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDataDir } from '../../../test/support/data-dir.ts'
import { StartupError } from '../../kernel/errors.ts'
import { actingFor } from '../../kernel/event-loop.ts'
import type { OpenDatabase } from '../database.ts'
import { isDatabaseOutage } from '../retry-conflicts.ts'
import { embeddedDatabase, openEmbedded } from './embedded.ts'
import { type EmbeddedThread, startEmbeddedThread } from './embedded-thread.ts'
import { checkpointIfIdle, vacuumWornTables } from './embedded-vacuum.ts'

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'embedded-'))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

async function newPlace(): Promise<{ folder: string }> {
  return { folder: path.join(await makeDataDir('folder-', parent), 'database') }
}

describe('a data directory', () => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmbedded({ dataDir: path.join(parent, 'data') })
  }, 150_000)
  afterAll(() => database.close())

  it('keeps a second process out, names the directory and the process, and stays intact', async () => {
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

  it('leaves the event loop free while a statement runs', async () => {
    let hasAnswered = false
    const long = sql`select count(*) from generate_series(1, 3000000)`
      .execute(database.db)
      .finally(() => (hasAnswered = true))
    for (let loops = 0; loops < 20; loops++) await setImmediate()
    expect(hasAnswered).toBe(false)
    await long
  })

  it('is accessible only to its owner and never incomplete', async () => {
    expect((await stat(path.join(parent, 'data'))).mode & 0o777).toBe(0o700)
    expect((await readdir(path.join(parent, 'data'))).toSorted()).toEqual([
      'database',
      'database.lock',
      'database.pid',
    ])
  })
})

/** How often the write-ahead log was flushed, by the database's own count. */
async function flushes(database: OpenDatabase): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(database.db)
  const { rows } = await sql<{ fsyncs: number }>`
    select sum(fsyncs)::int as fsyncs from pg_stat_io where object = 'wal'`.execute(database.db)
  return rows[0]?.fsyncs ?? 0
}

describe('a value', () => {
  let thread: EmbeddedThread
  beforeAll(async () => {
    thread = await startEmbeddedThread(await newPlace())
  })
  afterAll(() => thread.close())

  it('keeps its type, also from an object with hostile names', async () => {
    const bytes = Buffer.from([0, 1, 255])
    const json = JSON.parse('{"__proto__": {"a": 1}, "b": [null, 1.5], "constructor": ""}')
    const at = new Date('2026-03-01T12:00:00.123Z')
    const { rows } = await thread.query<Record<string, unknown>>(
      `select $1::bytea as bytes, $2::jsonb as json, $3::timestamptz as at, $4::int8 as small, $5::int8 as large,
        $6::text[] as words, $7::boolean as truth, $8::text as nothing, $9::timestamptz[] as times`,
      [bytes, json, at, 7, 9_007_199_254_740_993n, ['a', null, '{"'], true, null, [at]],
    )
    expect(rows).toEqual([
      {
        bytes: new Uint8Array(bytes),
        json,
        at,
        small: 7,
        large: 9_007_199_254_740_993n,
        words: ['a', null, '{"'],
        truth: true,
        nothing: null,
        times: [at],
      },
    ])
    expect(Object.keys(rows[0]?.json ?? {})).toContain('__proto__')
  })

  it.each([
    '0001-01-01T00:00:00.000Z',
    '0049-06-15T12:00:00.120Z',
    '0099-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999Z',
  ])('keeps the date %s, alone and in a list', async (date) => {
    const at = new Date(date)
    const { rows } = await thread.query('select $1::timestamptz as at, $2::timestamptz[] as times', [
      at,
      [at],
    ])
    expect(rows).toEqual([{ at, times: [at] }])
  })

  it('that cannot be sent fails its own statement and no other', async () => {
    await expect(thread.query('select $1', [() => {}])).rejects.toThrow(/clone/)
    expect((await thread.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })
})

describe('a database that breaks down', () => {
  it('rejects current and later requests, reports it, and keeps what was written for the next start', async () => {
    const place = await newPlace()
    const lost = Promise.withResolvers<Error>()
    const thread = await startEmbeddedThread(place, lost.resolve)
    const database = embeddedDatabase(thread)
    await sql`create table kept as select 1 as n`.execute(database.db)
    const log = path.join(place.folder, 'pg_wal')
    await rename(log, `${log}-elsewhere`)
    // The log needs a file that cannot be created, here or with the next write.
    await thread.query('select pg_switch_wal()').catch(() => {})
    const asked = [sql`insert into kept values (2)`, sql`select 3`, sql`select 4`]
    const outcomes = await Promise.allSettled(asked.map((statement) => statement.execute(database.db)))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await lost.promise).toMatchObject({
      message: expect.stringMatching(/has ended/),
      cause: { message: expect.stringMatching(/pg_wal/) },
    })
    const late = await sql`select 5`.execute(database.db).catch((error: unknown) => error)
    expect(isDatabaseOutage(late)).toBe(true)
    await database.close()

    await rename(`${log}-elsewhere`, log)
    const next = await startEmbeddedThread(place)
    expect((await next.query('select n from kept')).rows).toEqual([{ n: 1 }])
    await next.close()
  })

  it('ends its process when no handler is given', async () => {
    const { folder } = await newPlace()
    const script = `
      import { rm } from 'node:fs/promises'
      import { startEmbeddedThread } from ${JSON.stringify(new URL('./embedded-thread.ts', import.meta.url).href)}
      const thread = await startEmbeddedThread({ folder: ${JSON.stringify(folder)} })
      await rm(${JSON.stringify(path.join(folder, 'pg_wal'))}, { recursive: true })
      await thread.query('select pg_switch_wal()').catch(() => {})
      await thread.query('create table refused ()').catch(() => {})
      setInterval(() => {}, 1000)`
    const running = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
    await expect(running).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/The embedded database has ended/),
    })
  })
})

describe('a thread', () => {
  it('does not keep the process alive: open, closed, or failed to open', async () => {
    const { folder } = await newPlace()
    const script = `
      import { startEmbeddedThread } from ${JSON.stringify(new URL('./embedded-thread.ts', import.meta.url).href)}
      await startEmbeddedThread({ snapshot: '/nowhere' }).catch((error) => console.log(error.message))
      const thread = await startEmbeddedThread({ folder: ${JSON.stringify(folder)} })
      console.log((await thread.query('select 1 as one')).rows)
      if (process.argv[1] === 'closes') {
        await thread.close()
        await thread.query('select 1').catch((error) => console.log(error.message))
      }`
    const run = (...words: string[]) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, ...words])
    expect((await run('leaves')).stdout).toMatch(/blob[^]*one: 1/)
    expect((await run('closes')).stdout).toMatch(/one: 1[^]*The embedded database is closed/)
  })
})

describe('a folder that cannot be opened', () => {
  it('is refused and left unchanged: no database, another version, a file', async () => {
    const empty = path.join(parent, 'empty')
    await mkdir(path.join(empty, 'database'), { recursive: true })
    await expect(openEmbedded({ dataDir: empty })).rejects.toThrow(/has no readable database/)
    const old = path.join(parent, 'old')
    await mkdir(path.join(old, 'database'), { recursive: true })
    await writeFile(path.join(old, 'database/PG_VERSION'), '17\n')
    await expect(openEmbedded({ dataDir: old })).rejects.toThrow(/PostgreSQL 17/)
    expect(await readdir(path.join(old, 'database'))).toEqual(['PG_VERSION'])
    await writeFile(path.join(parent, 'file'), '')
    await expect(openEmbedded({ dataDir: path.join(parent, 'file') })).rejects.toThrow(StartupError)
  })
})

describe('a single session', () => {
  let database: OpenDatabase
  let vacuum: () => Promise<string[]>
  let checkpoint: () => Promise<boolean>
  beforeAll(async () => {
    const thread = await startEmbeddedThread(await newPlace())
    vacuum = () => vacuumWornTables(thread)
    checkpoint = () => checkpointIfIdle(thread)
    database = embeddedDatabase(thread, { idleTransactionMs: 200 })
  })
  afterAll(() => database.close())

  it('is taken back from an idle transaction, whose next statement says why', async () => {
    await sql`create table notes (text text)`.execute(database.db)
    const deadlock = database.db.transaction().execute(async (tx) => {
      await sql`insert into notes values ('lost')`.execute(tx)
      // Waits for the session that this same transaction holds.
      await sql`select 1`.execute(database.db)
    })
    await expect(deadlock).rejects.toThrow(/ran no statement for 0.2 s/)
    const { rows } = await sql`select text from notes`.execute(database.db)
    expect(rows).toEqual([])
  })

  it('vacuums worn tables, and only those', async () => {
    await sql`create table worn (n integer)`.execute(database.db)
    await sql`insert into worn select generate_series(1, 1000)`.execute(database.db)
    await sql`delete from worn where n <= 500`.execute(database.db)
    expect(await vacuum()).toEqual(['worn'])
    expect(await vacuum()).toEqual([])
  })

  it('writes many changed pages to disk before it is closed', async () => {
    const logBytes = async (): Promise<number> => {
      const { rows } = await sql<{ bytes: number }>`
        select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::int as bytes from pg_control_checkpoint()`.execute(
        database.db,
      )
      return rows[0]?.bytes ?? 0
    }
    await database.flush()
    expect(await checkpoint()).toBe(false)
    await sql`create table much as select md5(n::text) as text from generate_series(1, 200000) n`.execute(
      database.db,
    )
    expect(await logBytes()).toBeGreaterThan(8 * 2 ** 20)
    const looking = checkpoint()
    const waiting = sql`select pg_sleep(0.2)`.execute(database.db)
    expect(await looking).toBe(false)
    await waiting
    expect(await checkpoint()).toBe(true)
    expect(await logBytes()).toBeLessThan(2 ** 20)
  })
})

describe('a start', () => {
  it('without write access says where and what to do, without a stack', async () => {
    const dataDir = path.join(parent, 'unwritable')
    await mkdir(path.join(dataDir, 'database.lock'), { recursive: true })
    await expect(openEmbedded({ dataDir })).rejects.toThrow(
      new RegExp(`^DATA_DIR: ${dataDir} cannot be written .*set another DATA_DIR`),
    )
    await expect(openEmbedded({ dataDir })).rejects.toBeInstanceOf(StartupError)
  })
})

describe('the shared session', () => {
  it('serves requests that arrived while a statement ran before later ones of the same owner', async () => {
    const thread = await startEmbeddedThread(await newPlace())
    try {
      const order: string[] = []
      const slow = 'select count(*) from generate_series(1, 300000)'
      const ask = (owner: string, statement: string): Promise<unknown> =>
        actingFor(owner, () => thread.query(statement)).then(() => order.push(owner))
      const busy = Array.from({ length: 8 }, () => ask('busy', slow))
      await busy[0]
      await ask('neighbor', 'select 1')
      expect(order.indexOf('neighbor')).toBeLessThanOrEqual(3)
      await Promise.all(busy)
    } finally {
      await thread.close()
    }
  })

  it('lets owners take turns, however many statements each has queued', async () => {
    const thread = await startEmbeddedThread(await newPlace())
    try {
      const holding = thread.begin({ idleMs: 30_000 })
      await holding.query('select 1')
      const order: string[] = []
      const ask = (owner: string): Promise<unknown> =>
        actingFor(owner, () => thread.query('select 1')).then(() => order.push(owner))
      const asked = [...Array.from({ length: 4 }, () => ask('busy')), ask('neighbor'), ask('neighbor')]
      await holding.commit()
      await Promise.all(asked)
      expect(order).toEqual(['busy', 'neighbor', 'busy', 'neighbor', 'busy', 'busy'])
    } finally {
      await thread.close()
    }
  })

  it('closes after every earlier request', async () => {
    const thread = await startEmbeddedThread(await newPlace())
    const asked = ['a', 'b', 'a', 'c'].map((owner) => actingFor(owner, () => thread.query('select 1')))
    await thread.close()
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(
      Array.from({ length: 4 }, () => 'fulfilled'),
    )
  })
})
