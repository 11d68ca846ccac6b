import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { FileEntry, OpenDatabase } from '../database/database.ts'
import { appliedMigrations } from '../database/migrate.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { unavailable } from '../kernel/unavailable.ts'
import { VERSION } from '../kernel/version.ts'
import {
  type Checksums,
  DATABASE_FOLDER,
  ENCRYPTION_KEY_FILE,
  FORMAT,
  KEPT_FILES,
  MANIFEST,
  type Manifest,
} from './archive-format.ts'
import { countRows } from './count-rows.ts'
import { writeArchive } from './write-archive.ts'
import type { Logger } from '../kernel/logger.ts'
import { nullIfMissing } from '../kernel/thrown-errors.ts'

const RETRY_AFTER_SECONDS = 60

export interface BackupOptions {
  /** Whether to include the key stored in DATA_DIR; together they let a reader decrypt every OAuth token. */
  withEncryptionKey: boolean
}

export interface Backups {
  /** Begins a backup, whose bytes are produced as they are read. @throws AppError `not_configured`, `overloaded` */
  begin(options: BackupOptions): Promise<{ name: string; bytes: Readable }>
}

/** Backups of an embedded database and the other files of DATA_DIR. */
export function createBackups(deps: {
  database: OpenDatabase
  settings: { DATA_DIR: string; ENCRYPTION_KEY?: unknown }
  clock: Clock
  logger: Pick<Logger, 'info' | 'warn'>
}): Backups {
  const { database, clock, logger } = deps
  const dataDir = deps.settings.DATA_DIR
  // A key from the environment is never in a backup.
  const isKeyGiven = deps.settings.ENCRYPTION_KEY !== undefined
  let isBusy = false
  return {
    async begin({ withEncryptionKey }) {
      const { files } = database
      if (files === null) {
        throw new AppError(
          'not_configured',
          "The database is not embedded: back it up with pg_dump or your server's own tools (docs/guides/back-up-and-restore.md)",
        )
      }
      if (isBusy) throw unavailable('overloaded', 'Another backup is in progress', RETRY_AFTER_SECONDS)
      isBusy = true
      try {
        const at = clock.now()
        const beside = await readBeside(dataDir, withEncryptionKey)
        const manifest: Manifest = {
          format: FORMAT,
          service: VERSION,
          madeAt: at.toISOString(),
          migrations: await appliedMigrations(database.db),
          encryptionKey: await keyPlace(isKeyGiven, dataDir, withEncryptionKey),
        }
        let rows: Checksums['rows'] = {}
        const ofDatabase = files.read(async (query) => {
          rows = await countRows(query)
        })
        // Another backup begins only once this one has released the database, which may be after its reader left.
        const entries = inOrder(manifest, beside, ofDatabase, () => (isBusy = false))
        const bytes = writeArchive(entries, () => rows, at)
        bytes.once('close', () => {
          if (bytes.readableEnded) logger.info({ withEncryptionKey }, 'a backup was taken')
          else logger.warn({ err: bytes.errored }, 'a backup was interrupted: its file is incomplete')
        })
        return { name: `memory-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup.tar.zst`, bytes }
      } catch (error) {
        isBusy = false
        throw error
      }
    },
  }
}

async function* inOrder(
  manifest: Manifest,
  beside: ReadonlyMap<string, Buffer>,
  ofDatabase: AsyncIterable<FileEntry>,
  onEnd: () => void,
): AsyncGenerator<FileEntry> {
  try {
    yield entryOf(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
    for (const [name, bytes] of beside) yield entryOf(name, bytes)
    yield { name: DATABASE_FOLDER, size: 0, body: null }
    for await (const entry of ofDatabase) yield { ...entry, name: `${DATABASE_FOLDER}/${entry.name}` }
  } finally {
    onEnd()
  }
}

function entryOf(name: string, bytes: Buffer): FileEntry {
  return { name, size: bytes.length, body: oneOf(bytes) }
}

async function* oneOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function readBeside(dataDir: string, withEncryptionKey: boolean): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  for (const name of KEPT_FILES) {
    if (name === ENCRYPTION_KEY_FILE && !withEncryptionKey) continue
    const bytes = await readIfThere(path.join(dataDir, name))
    if (bytes !== null) found.set(name, bytes)
  }
  return found
}

async function keyPlace(
  isGiven: boolean,
  dataDir: string,
  withEncryptionKey: boolean,
): Promise<Manifest['encryptionKey']> {
  if (isGiven) return 'in the environment'
  if ((await readIfThere(path.join(dataDir, ENCRYPTION_KEY_FILE))) === null) return 'none was made yet'
  return withEncryptionKey ? 'included' : 'left out'
}

async function readIfThere(file: string): Promise<Buffer | null> {
  return await readFile(file).catch(nullIfMissing)
}
