import type { OpenDatabase } from '../database/database.ts'
import { openDatabase } from '../database/open-database.ts'

/** A command has no log; the next start repeats maintenance that fails. */
export const NO_LOG = { error: () => {}, info: () => {}, warn: () => {} }

/** Opens an embedded database for a command. @throws StartupError */
export function openAlone(dataDir: string): Promise<OpenDatabase> {
  return openDatabase({ dataDir, databaseUrl: undefined, logger: NO_LOG })
}
