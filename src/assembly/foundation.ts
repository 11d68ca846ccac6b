import type { Settings } from '../config.ts'
import type { OpenDatabase } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/logger.ts'

/** What nearly every part of the service is built on. */
export interface Foundation {
  settings: Settings
  database: OpenDatabase
  clock: Clock
  logger: Logger
}
