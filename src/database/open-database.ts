import type { Logger } from 'pino'
import type { OpenDatabase } from './database.ts'
import { openEmbedded } from './drivers/embedded.ts'
import { openPostgres } from './drivers/postgres.ts'
import { migrate } from './migrate.ts'

export interface DatabaseOptions {
  /** The directory of the embedded database. */
  dataDir: string
  /** A PostgreSQL server instead of the embedded database. */
  databaseUrl: string | undefined
  logger: Pick<Logger, 'error'>
}

/**
 * Opens the database that the settings ask for; it may need migrating.
 * @throws StartupError that says what is wrong with `DATA_DIR` or `DATABASE_URL`.
 */
export function openDatabase({ dataDir, databaseUrl, logger }: DatabaseOptions): Promise<OpenDatabase> {
  if (databaseUrl !== undefined) {
    return openPostgres({
      url: databaseUrl,
      onConnectionError: (err) => logger.error({ err }, 'a database connection was lost'),
    })
  }
  return openEmbedded({
    dataDir,
    onBackgroundError: (err) =>
      logger.error({ err }, 'upkeep of the embedded database failed; it is tried again'),
  })
}

/**
 * Brings the schema of an open database up to date. On a server that has a connection of its own without the limits of time
 * that requests have: a migration may rewrite a large table, and other instances wait for it.
 * @returns the names of the migrations that were applied now. @throws StartupError when one fails
 */
export async function migrateDatabase(
  database: OpenDatabase,
  databaseUrl: string | undefined,
): Promise<string[]> {
  if (databaseUrl === undefined) return await migrate(database.db)
  const patient = await openPostgres({ url: databaseUrl, connectionsMax: 1, isPatient: true })
  try {
    return await migrate(patient.db)
  } finally {
    await patient.close()
  }
}
