import type { OpenDatabase } from '../database/database.ts'
import { isMigrated } from '../database/migrate.ts'

/** Why the service cannot serve now, for people; null when it can. */
export async function unreadiness(database: OpenDatabase, draining: boolean): Promise<string | null> {
  if (draining) return 'The service is stopping'
  try {
    return (await isMigrated(database.db)) ? null : 'The database is not migrated to this version'
  } catch {
    return 'The database cannot be reached'
  }
}
