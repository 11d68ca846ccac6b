import pLimit from 'p-limit'
import type { Db } from '../../database/database.ts'
import { type Clock, DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import type { Refresh } from './refresh.ts'

const COMPARE_EVERY_MS = HOUR_MS
const EVENTS_KEPT_MS = 30 * DAY_MS
/** Organizations per tick, and how many at once: the payment processor limits calls per second. */
const AT_ONE_LOOK = 40
const AT_ONCE = 4

/** Reads announced changes, and every organization not compared for an hour. */
export async function reconcile(deps: { db: Db; clock: Clock; refresh: Refresh }): Promise<void> {
  const { db, clock, refresh } = deps
  const now = clock.now()
  const due = await db
    .selectFrom('payment_accounts')
    .select('organization_id')
    .where((where) =>
      where.or([
        where('notices', '>', where.ref('notices_read')),
        where('read_at', 'is', null),
        where('read_at', '<=', new Date(now.getTime() - COMPARE_EVERY_MS)),
      ]),
    )
    .where((where) => where.or([where('not_before', 'is', null), where('not_before', '<=', now)]))
    .orderBy('read_at', (order) => order.asc().nullsFirst())
    .limit(AT_ONE_LOOK)
    .execute()
  const limit = pLimit(AT_ONCE)
  await Promise.all(due.map((row) => limit(() => refresh(row.organization_id, 0))))
}

/** Deletes events that the payment processor no longer resends: it retries for three days. */
export async function deleteExpiredEvents(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('payment_events')
    .where('received_at', '<', new Date(now.getTime() - EVENTS_KEPT_MS))
    .execute()
}
