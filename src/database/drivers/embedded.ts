import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Kysely, type LogEvent } from 'kysely'
import { StartupError } from '../../kernel/errors.ts'
import type { FileBackup, OpenDatabase } from '../database.ts'
import { flushFolder } from '../flush-folder.ts'
import { refuseHalfRestored } from '../half-restored.ts'
import { makeFolder } from '../make-folder.ts'
import type { Schema } from '../schema.ts'
import { createFileBackup } from './embedded-backup.ts'
import { embeddedDialect } from './embedded-dialect.ts'
import { lockDirectory, notWritable } from './embedded-lock.ts'
import { type EmbeddedThread, startEmbeddedThread } from './embedded-thread.ts'
import { startVacuuming } from './embedded-vacuum.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'

/** The major version of PGlite's PostgreSQL; it cannot read the files of another. */
const POSTGRES_MAJOR = '18'
const INITIALIZE_TIMEOUT_MS = 120_000
const IDLE_TRANSACTION_MS = 30_000

export interface EmbeddedOptions {
  /** Created when missing. */
  dataDir: string
  onBackgroundError?: (error: unknown) => void
  /** Called when the database ends by itself; see `startEmbeddedThread`. */
  onLost?: ((error: Error) => void) | undefined
  /** Called with every statement and its duration. */
  onStatement?: ((event: LogEvent) => void) | undefined
}

/** Opens or creates the database in `dataDir` and locks out other processes. @throws StartupError */
export async function openEmbedded({
  dataDir,
  onBackgroundError = () => {},
  onLost,
  onStatement,
}: EmbeddedOptions): Promise<OpenDatabase> {
  const directory = path.resolve(dataDir)
  await refuseHalfRestored(directory)
  await makeFolder(directory).catch((error: unknown) => {
    const reason = messageOf(error)
    throw new StartupError(
      `DATA_DIR: ${directory} cannot be created or is not a directory (${reason}). Set another DATA_DIR.`,
      { cause: error },
    )
  })
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw notWritable(directory, error)
  })
  const unlock = lockDirectory(directory)
  try {
    const folder = path.join(directory, 'database')
    if (!existsSync(folder)) await initialize(directory, folder, onBackgroundError)
    const thread = await openFolder(folder, onLost)
    const stopVacuuming = startVacuuming(thread, onBackgroundError)
    const files = createFileBackup(thread, folder)
    return embeddedDatabase(thread, {
      files,
      beforeClose: stopVacuuming,
      afterClose: unlock,
      onStatement,
    })
  } catch (error) {
    unlock()
    throw error
  }
}

/** Creates the database beside its place and moves it there, so that a killed start leaves nothing half-made. */
async function initialize(
  directory: string,
  folder: string,
  onBackgroundError: (error: unknown) => void,
): Promise<void> {
  for (const name of await readdir(directory)) {
    // A killed start's subprocess can still be writing for a moment; a later start removes its folder.
    if (name.startsWith('database.new-'))
      await rm(path.join(directory, name), { recursive: true, force: true }).catch(onBackgroundError)
  }
  const unfinished = path.join(directory, `database.new-${randomUUID()}`)
  const script = fileURLToPath(new URL('./initialize-embedded.ts', import.meta.url))
  try {
    await promisify(execFile)(process.execPath, [script, unfinished], { timeout: INITIALIZE_TIMEOUT_MS })
  } catch (error) {
    throw new StartupError(`DATA_DIR: no database could be created in ${directory}`, { cause: error })
  }
  await rename(unfinished, folder)
  await flushFolder(directory)
}

async function openFolder(folder: string, onLost: EmbeddedOptions['onLost']): Promise<EmbeddedThread> {
  const version = await readFile(path.join(folder, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    throw new StartupError(
      `DATA_DIR: ${folder} has no readable database; move it away to start with an empty one`,
      {
        cause: error,
      },
    )
  })
  if (version.trim() !== POSTGRES_MAJOR) {
    throw new StartupError(
      `DATA_DIR: ${folder} was created by PostgreSQL ${version.trim()}, but this version of the service reads only ${POSTGRES_MAJOR}`,
    )
  }
  try {
    return await startEmbeddedThread({ folder }, onLost)
  } catch (error) {
    throw new StartupError(`DATA_DIR: the database in ${folder} cannot be opened`, { cause: error })
  }
}

/** Wraps a database that is open on its thread. */
export function embeddedDatabase(
  thread: EmbeddedThread,
  hooks: {
    files?: FileBackup
    beforeClose?: () => Promise<void>
    afterClose?: () => void
    /** See `EmbeddedDialectOptions`; 30 s by default. */
    idleTransactionMs?: number
    /** Called with every statement and its duration. */
    onStatement?: ((event: LogEvent) => void) | undefined
  } = {},
): OpenDatabase {
  const {
    files = null,
    beforeClose = async () => {},
    afterClose = () => {},
    idleTransactionMs = IDLE_TRANSACTION_MS,
    onStatement,
  } = hooks
  return {
    db: new Kysely<Schema>({
      dialect: embeddedDialect(thread, { idleTransactionMs }),
      ...(onStatement ? { log: onStatement } : {}),
    }),
    driver: 'embedded',
    files,
    openPatient: null,
    isAwaited: () => thread.isAsked,
    async flush() {
      await thread.query('checkpoint')
    },
    async close() {
      try {
        await beforeClose()
        await thread.close()
      } finally {
        afterClose()
      }
    },
  }
}
