import { sql } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import { workerUrls } from './database-setup.ts'
import { until } from './until.ts'

/** Waits until a transaction waits for a lock. The embedded database has one session, so none of its transactions does. */
export async function untilOneWaits(db: Db): Promise<void> {
  const activity = sql.table(workerUrls().length > 0 ? 'citus_stat_activity' : 'pg_stat_activity')
  const look = async (): Promise<unknown[]> => {
    const { rows } = await sql`
      select wait_event from ${activity}
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows
  }
  await until('a transaction waits for a lock', look, (rows) => rows.length > 0)
}
