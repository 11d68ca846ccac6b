import type { LogEvent } from 'kysely'
import type { OpenDatabase } from './database.ts'
import { distributeNewTables } from './distribution/distribute.ts'
import { openEmbedded } from './drivers/embedded.ts'
import { openPostgres } from './drivers/postgres.ts'
import { migrate } from './migrate.ts'
import type { Logger } from '../kernel/logger.ts'

/** Keeps an embedded database's folder from every other process, without opening it. */
export { lockDirectory as lockDataDir } from './drivers/embedded-lock.ts'

export interface DatabaseOptions {
  /** The directory of the embedded database. */
  dataDir: string
  /** A PostgreSQL server instead of the embedded database. */
  databaseUrl: string | undefined
  logger: Pick<Logger, 'error' | 'warn'>
  /** Told of every statement and how long it took; nobody when not given, at no cost. */
  onStatement?: ((event: LogEvent) => void) | undefined
}

/**
 * Opens the database that the settings ask for; it may need migrating.
 * @throws StartupError that says what is wrong with `DATA_DIR` or `DATABASE_URL`.
 */
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
          'the way to the database keeps no prepared statements: each statement is planned anew',
        ),
    })
  }
  return openEmbedded({
    dataDir,
    onStatement,
    onBackgroundError: (err) =>
      logger.error({ err }, 'upkeep of the embedded database failed; it is tried again'),
  })
}

/** What was done to a database before it could be used, by name. */
export interface Migrated {
  migrations: string[]
  /** Tables that a distributed database has got since its others were distributed. */
  distributed: string[]
}

/**
 * Brings the schema of an open database up to date. On a server that has a connection of its own without the limits of time
 * that requests have: a migration may rewrite a large table, and other instances wait for it. A distributed database's new tables
 * are distributed too.
 * @throws StartupError when a migration fails, or a table of a distributed database is not in its place
 */
export async function migrateDatabase(
  database: OpenDatabase,
  databaseUrl: string | undefined,
): Promise<Migrated> {
  if (databaseUrl === undefined) return { migrations: await migrate(database.db), distributed: [] }
  const patient = await openPostgres({ url: databaseUrl, connectionsMax: 1, isPatient: true })
  try {
    const migrations = await migrate(patient.db)
    return { migrations, distributed: await distributeNewTables(patient.db) }
  } finally {
    await patient.close()
  }
}
