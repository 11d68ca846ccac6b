import type { Logger } from 'pino'
import type { OpenDatabase } from './database.ts'
import { openEmbedded } from './drivers/embedded.ts'
import { openPostgres } from './drivers/postgres.ts'

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
