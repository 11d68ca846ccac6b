import type { LogEvent } from 'kysely'
import type { OpenDatabase } from './database.ts'
import { distributeNewTables } from './distribution/distribute.ts'
import { openEmbedded } from './drivers/embedded.ts'
import { openPostgres } from './drivers/postgres.ts'
import { migrate } from './migrate.ts'
import type { Logger } from '../kernel/logger.ts'

/** Locks an embedded database's folder against every other process, without opening it. */
export { lockDirectory as lockDataDir } from './drivers/embedded-lock.ts'

export interface DatabaseOptions {
  dataDir: string
  /** A PostgreSQL server, instead of the embedded database. */
  databaseUrl: string | undefined
  logger: Pick<Logger, 'error' | 'warn'>
  /** Called with every statement and its duration. Free when absent. */
  onStatement?: ((event: LogEvent) => void) | undefined
}

/** Opens the database that the settings name; it may need migrating. @throws StartupError */
export function openDatabase({
  dataDir,
  databaseUrl,
  logger,
  onStatement,
}: DatabaseOptions): Promise<OpenDatabase> {
  if (databaseUrl !== undefined) {
    return openPostgres({
      url: databaseUrl,
      onStatement,
      onConnectionError: (err) => logger.error({ err }, 'a database connection was lost'),
      onSessionsNotKept: () =>
        logger.warn(
          {},
          'the connection pooler does not keep prepared statements: each statement is planned again',
        ),
    })
  }
  return openEmbedded({
    dataDir,
    onStatement,
    onBackgroundError: (err) =>
      logger.error({ err }, 'maintenance of the embedded database failed; will retry'),
  })
}

export interface Migrated {
  migrations: string[]
  /** New tables that a distributed database now distributes. */
  distributed: string[]
}

/** Migrates an open database and distributes new tables, on a connection without timeouts. @throws StartupError */
export async function migrateDatabase({ db, openPatient }: OpenDatabase): Promise<Migrated> {
  if (openPatient === null) return { migrations: await migrate(db), distributed: [] }
  const patient = await openPatient()
  try {
    const migrations = await migrate(patient.db)
    return { migrations, distributed: await distributeNewTables(patient.db) }
  } finally {
    await patient.close()
  }
}
