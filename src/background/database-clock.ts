import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'

/** Follows the database's clock, so that servers with different clocks agree on what is due. */
export interface DatabaseClock extends Clock {
  /** Synchronizes it. Before that it follows the server's clock. */
  adjust(): Promise<void>
}

/** @param measureLag how far this server's clock is behind the database's, in milliseconds */
export function createDatabaseClock(clock: Clock, measureLag: () => Promise<number>): DatabaseClock {
  let behindMs = 0
  return {
    now: () => new Date(clock.now().getTime() + behindMs),
    async adjust() {
      behindMs = await measureLag()
    },
  }
}

/** How far this server's clock is behind the database's, in milliseconds, accurate to half a query's duration. */
export async function measureClockLag(db: Db): Promise<number> {
  const asked = systemClock.now().getTime()
  const { time } = await db.selectNoFrom(sql<Date>`clock_timestamp()`.as('time')).executeTakeFirstOrThrow()
  const halfway = (asked + systemClock.now().getTime()) / 2
  return time.getTime() - halfway
}
