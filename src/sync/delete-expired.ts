import { DAY_MS } from '../kernel/clock.ts'
import type { Db } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { clearAnnouncements } from '../sources/index.ts'
import { SYNC_RUNS_KEPT_DAYS } from '../kernel/retention.ts'

const EVENTS_KEPT_MS = DAY_MS
const UNREAD_EVENTS_KEPT_MS = 7 * DAY_MS

/** Deletes runs after 30 days, read events after a day, and unread ones after a week, which polling covers. */
export async function deleteExpiredRuns(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('push_events')
    .where('read_at', '<', new Date(now.getTime() - EVENTS_KEPT_MS))
    .execute()
  await dropUnreadEvents(db, new Date(now.getTime() - UNREAD_EVENTS_KEPT_MS))
  await db
    .deleteFrom('sync_runs')
    .where('finished_at', '<', new Date(now.getTime() - SYNC_RUNS_KEPT_DAYS * DAY_MS))
    .execute()
}

async function dropUnreadEvents(db: Db, before: Date): Promise<void> {
  const sources = await db
    .selectFrom('push_events')
    .select(['organization_id as organizationId', 'source_id as sourceId'])
    .distinct()
    .where('read_at', 'is', null)
    .where('received_at', '<', before)
    .execute()
  for (const source of sources) {
    await transact(db, async (tx) => {
      await clearAnnouncements(tx, source)
      await tx
        .deleteFrom('push_events')
        .where('organization_id', '=', source.organizationId)
        .where('source_id', '=', source.sourceId)
        .where('read_at', 'is', null)
        .where('received_at', '<', before)
        .execute()
    })
  }
}
