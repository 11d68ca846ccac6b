import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDataDir } from '../../test/support/data-dir.ts'
import { until } from '../../test/support/until.ts'
import type { OpenDatabase } from '../database/database.ts'
import { openEmbedded } from '../database/drivers/embedded.ts'
import { migrate } from '../database/migrate.ts'
import { systemClock } from '../kernel/clock.ts'
import { backUpOffline } from './back-up-offline.ts'
import { type Backups, createBackups } from './backup.ts'
import { checkBackup, restoreBackup } from './restore.ts'

let parent: string
let dataDir: string
let database: OpenDatabase
let backups: Backups
const logged: string[] = []

beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'backup-'))
  dataDir = await makeDataDir('data-', parent)
  database = await openEmbedded({ dataDir })
  await writeFile(path.join(dataDir, 'encryption-key'), 'a key')
  await writeFile(path.join(dataDir, 'operator-token'), 'a token')
  await mkdir(path.join(dataDir, 'vector-memory'))
  await writeFile(path.join(dataDir, 'vector-memory/left-by-a-stop.vectors'), 'vectors')
  await sql`create table written (n integer primary key, payload text not null)`.execute(database.db)
  backups = createBackups({
    database,
    settings: { DATA_DIR: dataDir },
    clock: systemClock,
    logger: {
      info: (_fields, message) => void logged.push(message),
      warn: (_fields, message) => void logged.push(message),
    },
  })
})
afterAll(async () => {
  await database.close()
  await rm(parent, { recursive: true, force: true })
})

async function makeBackup(name: string, withEncryptionKey = true): Promise<string> {
  const file = path.join(parent, name)
  const { bytes } = await backups.begin({ withEncryptionKey })
  await pipeline(bytes, createWriteStream(file))
  return file
}

const restoreTo = (target: string, file: string, replaces = false) =>
  restoreBackup({ file, dataDir: target, replaces, now: new Date('2026-05-10T08:00:00Z') })

async function writtenIn(folder: string): Promise<{ rows: number; whole: number; last: number }> {
  const restored = await openEmbedded({ dataDir: folder })
  try {
    const { rows } = await sql<{ rows: number; whole: number; last: number }>`
      select count(*)::int as rows, count(*) filter (where length(payload) = 2000)::int as whole,
        coalesce(max(n), -1) as last from written`.execute(restored.db)
    return rows[0] ?? { rows: 0, whole: 0, last: -1 }
  } finally {
    await restored.close()
  }
}

describe('a backup of a database that is written to', () => {
  it('contains every row from before it began, intact and in order, and is counted before it is valid', async () => {
    let next = 0
    const over = new AbortController()
    const write = async (): Promise<void> => {
      while (!over.signal.aborted) {
        await sql`insert into written values (${next++}, repeat('x', 2000))`.execute(database.db)
        // Pages that were already copied change again.
        await sql`update written set payload = repeat('y', 2000) where n % 7 = 0`.execute(database.db)
        if (next % 10 === 0) await sql`checkpoint`.execute(database.db)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    for (; next < 200; next++)
      await sql`insert into written values (${next}, repeat('x', 2000))`.execute(database.db)
    const writing = write()
    const before = next
    const file = await makeBackup('written')
    over.abort()
    await writing
    expect(next).toBeGreaterThan(before)
    const { rows } = await restoreTo(path.join(parent, 'written-restored'), file)
    const written = await writtenIn(path.join(parent, 'written-restored'))
    expect(written.rows).toBe(rows.written)
    expect(written.rows).toBeGreaterThanOrEqual(before)
    expect(written).toEqual({ rows: written.last + 1, whole: written.rows, last: written.last })
  })

  it('includes the stored encryption key unless told otherwise, and never the operator token or saved vectors', async () => {
    const withKey = await restoreTo(path.join(parent, 'with-key'), await makeBackup('with'))
    expect(withKey.manifest.encryptionKey).toBe('included')
    expect(await readFile(path.join(parent, 'with-key/encryption-key'), 'utf8')).toBe('a key')
    expect((await readdir(path.join(parent, 'with-key'))).toSorted()).toEqual(['database', 'encryption-key'])
    expect((await stat(path.join(parent, 'with-key'))).mode & 0o777).toBe(0o700)
    const without = await restoreTo(path.join(parent, 'without-key'), await makeBackup('without', false))
    expect(without.manifest.encryptionKey).toBe('left out')
    expect(await readdir(path.join(parent, 'without-key'))).toEqual(['database'])
  })

  it('runs one at a time, and ends when its reader disconnects', async () => {
    const { bytes } = await backups.begin({ withEncryptionKey: true })
    await expect(backups.begin({ withEncryptionKey: true })).rejects.toMatchObject({ code: 'overloaded' })
    await new Promise<void>((resolve) => bytes.once('data', () => resolve()))
    const closed = new Promise((resolve) => bytes.once('close', resolve))
    bytes.destroy()
    await closed
    expect(logged.at(-1)).toBe('a backup was interrupted: its file is incomplete')
    const next = () => makeBackup('after-one-that-broke-off').catch(() => null)
    await checkBackup((await until('the next backup', next, (file) => file !== null)) ?? '')
    expect(logged.at(-1)).toBe('a backup was taken')
    const { rows } = await sql`select slot_name from pg_replication_slots`.execute(database.db)
    expect(rows).toEqual([])
  })

  it('is refused until an interrupted one has released the database', async () => {
    const [reading, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const files = {
      async *read() {
        reading.resolve()
        try {
          for (let n = 0; ; n++) yield await setImmediate({ name: `${n}`, size: 0, body: null })
        } finally {
          await released.promise
        }
      },
    }
    const { begin } = createBackups({
      database: { ...database, files },
      settings: { DATA_DIR: dataDir },
      clock: systemClock,
      logger: { info: () => {}, warn: () => {} },
    })
    const interrupt = async () => {
      const { bytes } = await begin({ withEncryptionKey: true })
      const closed = new Promise((resolve) => bytes.once('close', resolve))
      bytes.resume()
      await reading.promise
      bytes.destroy()
      await closed
    }
    await interrupt()
    await expect(interrupt()).rejects.toMatchObject({ code: 'overloaded' })
    released.resolve()
    await setImmediate()
    await interrupt()
  })

  it('is refused offline while a service holds the directory', async () => {
    const options = { dataDir, isKeyGiven: false, clock: systemClock, withEncryptionKey: true }
    await expect(backUpOffline(options, async () => {})).rejects.toThrow(/in use by another instance/)
    const nowhere = { ...options, dataDir: path.join(parent, 'nowhere') }
    await expect(backUpOffline(nowhere, async () => {})).rejects.toThrow(/contains no database/)
  })
})

describe('a restore', () => {
  let file: string
  let target: string
  beforeAll(async () => {
    file = await makeBackup('good')
    target = path.join(parent, 'taken')
    await mkdir(target)
    await writeFile(path.join(target, 'mine'), 'precious')
  })

  /** Restores a modified backup over `target`; it must be refused and leave everything unchanged. */
  async function expectRefused(change: (bytes: Buffer) => Buffer, message: RegExp): Promise<void> {
    const changed = path.join(parent, 'changed')
    await writeFile(changed, change(await readFile(file)))
    const before = (await readdir(parent)).toSorted()
    await expect(restoreTo(target, changed, true)).rejects.toThrow(message)
    expect((await readdir(parent)).toSorted()).toEqual(before)
    expect((await readdir(target)).toSorted()).toContain('mine')
  }

  it('leaves a non-empty folder unchanged unless told to replace it', async () => {
    await expect(restoreTo(target, file)).rejects.toThrow(/is not empty.*--replace/)
    expect(await readdir(target)).toEqual(['mine'])
  })

  it('refuses a file that is truncated, modified or no backup before it changes anything', async () => {
    await expectRefused((bytes) => bytes.subarray(0, bytes.length / 2), /not a complete backup/)
    await expectRefused((bytes) => bytes.subarray(0, bytes.length - 2_000), /not a complete backup/)
    await expectRefused((bytes) => {
      const changed = Buffer.from(bytes)
      changed[Math.floor(bytes.length / 2)]! ^= 1
      return changed
    }, /not a complete backup/)
    await expectRefused(() => Buffer.from('not a backup'), /not a complete backup/)
    await expectRefused(() => Buffer.alloc(0), /not a complete backup/)
  })

  it('refuses a newer version and names the unknown migration', async () => {
    await sql`insert into kysely_migration values ('9999_later', '2030-01-01')`.execute(database.db)
    const later = await makeBackup('later')
    await expect(restoreTo(path.join(parent, 'later-restored'), later)).rejects.toThrow(
      /newer version of the service: it has the migration 9999_later/,
    )
    await expect(migrate(database.db)).rejects.toThrow(
      /The database was migrated by a newer version.*9999_later/,
    )
    await sql`delete from kysely_migration where name = '9999_later'`.execute(database.db)
    expect(await readdir(parent)).not.toContain('later-restored')
  })

  it('with --replace, moves the previous folder aside intact, unless a service holds it', async () => {
    await expect(restoreTo(dataDir, file, true)).rejects.toThrow(/in use by another instance/)
    const { formerAt } = await restoreTo(target, file, true)
    expect(formerAt).toBe(`${target}.before-restore-20260510T080000Z`)
    expect(await readFile(path.join(formerAt ?? '', 'mine'), 'utf8')).toBe('precious')
    expect((await readdir(target)).toSorted()).toEqual(['database', 'encryption-key'])
    expect(await writtenIn(target)).toMatchObject({ rows: expect.any(Number) })
  })
})
