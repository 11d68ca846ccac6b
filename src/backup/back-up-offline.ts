import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { StartupError } from '../kernel/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import { DATABASE_FOLDER } from './archive-format.ts'
import { type BackupOptions, createBackups } from './backup.ts'
import { NO_LOG, openAlone } from './open-alone.ts'

export interface OfflineBackup extends BackupOptions {
  dataDir: string
  isKeyGiven: boolean
  clock: Clock
}

/** Passes `use` a backup of a stopped service's DATA_DIR. @throws StartupError without a database, or while one runs */
export async function backUpOffline<T>(
  { dataDir, isKeyGiven, clock, withEncryptionKey }: OfflineBackup,
  use: (backup: { name: string; bytes: Readable }) => Promise<T>,
): Promise<T> {
  // Opening a missing database would create one.
  await stat(path.join(dataDir, DATABASE_FOLDER)).catch((cause: unknown) => {
    throw new StartupError(`DATA_DIR: ${path.resolve(dataDir)} contains no database`, { cause })
  })
  const database = await openAlone(dataDir)
  try {
    const settings = { DATA_DIR: dataDir, ...(isKeyGiven ? { ENCRYPTION_KEY: true } : {}) }
    const backups = createBackups({ database, settings, clock, logger: NO_LOG })
    return await use(await backups.begin({ withEncryptionKey }))
  } finally {
    await database.close()
  }
}
