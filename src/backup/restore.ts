import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { flushFolder } from '../database/flush-folder.ts'
import { FORMER, UNPACKED } from '../database/half-restored.ts'
import { findUnknownMigrations, newerDatabase } from '../database/migrate.ts'
import { lockDataDir } from '../database/open-database.ts'
import { StartupError } from '../kernel/errors.ts'
import { DATABASE_FOLDER, type Manifest } from './archive-format.ts'
import { countRows } from './count-rows.ts'
import { openAlone } from './open-alone.ts'
import { readArchive, type ReadBackup } from './read-archive.ts'
import { makeFolder } from '../database/make-folder.ts'
import { codeOf, messageOf } from '../kernel/thrown-errors.ts'

export interface RestoreOptions {
  file: string
  dataDir: string
  /** Whether to move a non-empty DATA_DIR aside; otherwise it is an error. */
  replaces: boolean
  now: Date
}

export interface Restored {
  manifest: Manifest
  rows: ReadBackup['rows']
  /** Where the previous DATA_DIR is now; null when it was missing or empty. */
  formerAt: string | null
}

/**
 * Creates DATA_DIR from a backup. It unpacks beside DATA_DIR, checks the checksums, opens the database, counts its
 * rows, and only then moves it into place. An earlier failure leaves DATA_DIR unchanged. @throws StartupError that
 * says what is wrong with the file or with DATA_DIR. The service of DATA_DIR must be stopped.
 */
export async function restoreBackup({ file, dataDir, replaces, now }: RestoreOptions): Promise<Restored> {
  const target = path.resolve(dataDir)
  const isTaken = await holdsSomething(target)
  if (isTaken && !replaces) {
    throw new StartupError(
      `DATA_DIR: ${target} is not empty. Restore with --replace to move it aside, or into another DATA_DIR`,
    )
  }
  const unlock = isTaken ? lockDataDir(target) : () => {}
  const staging = `${target}${UNPACKED}${randomBytes(4).toString('hex')}`
  try {
    await makeFolder(path.dirname(target))
    await mkdir(staging, { mode: 0o700 })
    const backup = await readArchive(file, staging)
    const unknown = await findUnknownMigrations(backup.manifest.migrations)
    if (unknown !== null) throw newerDatabase(`The backup ${file}`, unknown)
    await proveOpening(staging, backup)
    const formerAt = await moveIntoPlace(staging, target, isTaken ? now : null)
    return { manifest: backup.manifest, rows: backup.rows, formerAt }
  } finally {
    unlock()
    await rm(staging, { recursive: true, force: true })
  }
}

/** Reads a backup and checks its checksums without unpacking it. @throws StartupError */
export async function checkBackup(file: string): Promise<ReadBackup> {
  return await readArchive(file, null)
}

async function holdsSomething(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw new StartupError(`DATA_DIR: ${folder} cannot be read as a folder`, { cause: error })
  })
  return names.length > 0
}

/** Opens the database, which recovers it to the time of the backup, and compares its row counts. */
async function proveOpening(staging: string, { rows }: ReadBackup): Promise<void> {
  const database = await openAlone(staging)
  let found: ReadBackup['rows']
  try {
    found = await countRows(async (statement) => (await sql.raw(statement).execute(database.db)).rows)
  } finally {
    await database.close()
  }
  for (const name of new Set([...Object.keys(rows), ...Object.keys(found)])) {
    if (rows[name] === found[name]) continue
    throw new StartupError(
      `The backup was unpacked, but its table ${name} has ${found[name] ?? 'no'} rows instead of ${rows[name] ?? 'none'}; nothing was changed`,
    )
  }
  for (const name of await readdir(staging))
    if (name.startsWith(`${DATABASE_FOLDER}.`)) await rm(path.join(staging, name), { force: true })
}

/** Two renames within one folder; if the second fails, the first is undone. */
async function moveIntoPlace(staging: string, target: string, movedAt: Date | null): Promise<string | null> {
  const formerAt = movedAt && `${target}${FORMER}${movedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  try {
    if (formerAt !== null) await rename(target, formerAt)
    await rename(staging, target).catch(async (error: unknown) => {
      if (formerAt !== null) await rename(formerAt, target)
      throw error
    })
  } catch (cause) {
    const reason = messageOf(cause)
    throw new StartupError(
      `DATA_DIR: ${target} cannot be replaced (${reason}). If it is a mount point, set DATA_DIR to a folder inside it`,
      { cause },
    )
  }
  await flushFolder(path.dirname(target))
  return formerAt
}
