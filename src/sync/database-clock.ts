import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'

/** A clock that goes by the database's, so that servers whose own clocks differ agree on what is due. */
export interface DatabaseClock extends Clock {
  /** Sets it. Until then it goes by the server's own. */
  adjust(): Promise<void>
}

/** @param databaseTime what the time is there */
export function createDatabaseClock(clock: Clock, databaseTime: () => Promise<Date>): DatabaseClock {
  let behindMs = 0
  return {
    now: () => new Date(clock.now().getTime() + behindMs),
    async adjust() {
      const asked = clock.now().getTime()
      const time = await databaseTime()
      const halfway = (asked + clock.now().getTime()) / 2
      behindMs = time.getTime() - halfway
    },
  }
}

/** What the time is at the database. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const { time } = await db.selectNoFrom(sql<Date>`clock_timestamp()`.as('time')).executeTakeFirstOrThrow()
  return time
}
