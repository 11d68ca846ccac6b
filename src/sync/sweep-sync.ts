import type { Db } from '../database/database.ts'

const DAY_MS = 24 * 3_600_000
const EVENTS_KEPT_MS = DAY_MS
const RUNS_KEPT_MS = 30 * DAY_MS

/** Forgets ended runs after 30 days, and events that were read a day ago: a provider repeats them for an hour at most. */
export async function sweepSync(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('push_events')
    .where('read_at', '<', new Date(now.getTime() - EVENTS_KEPT_MS))
    .execute()
  await db
    .deleteFrom('sync_runs')
    .where('status', 'in', ['succeeded', 'failed'])
    .where('finished_at', '<', new Date(now.getTime() - RUNS_KEPT_MS))
    .execute()
}
