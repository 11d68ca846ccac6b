import type { Settings } from '../config.ts'
import type { OpenDatabase } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/logger.ts'

/** The dependencies of nearly every part of the service. */
export interface Foundation {
  settings: Settings
  database: OpenDatabase
  clock: Clock
  logger: Logger
}
