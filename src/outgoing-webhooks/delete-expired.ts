import { type RawBuilder, sql } from 'kysely'
import { DAY_MS } from '../kernel/clock.ts'
import type { Db } from '../database/database.ts'
import { DELIVERIES_KEPT_DAYS, WAITING_DELIVERIES_KEPT_DAYS } from '../kernel/retention.ts'

const DELETED_AT_ONCE = 1_000

/** Deletes old deliveries, in batches, and secrets that no longer sign. */
export async function deleteExpiredDeliveries(db: Db, now: Date): Promise<void> {
  await db
    .updateTable('outgoing_webhooks')
    .set({ previous_secret_ciphertext: null, previous_secret_expires_at: null })
    .where('previous_secret_expires_at', '<=', now)
    .execute()
  const before = (days: number): Date => new Date(now.getTime() - days * DAY_MS)
  await deleteOlder(db, before(DELIVERIES_KEPT_DAYS), sql<boolean>`status <> 'pending'`)
  // Otherwise they accumulate for a receiver that is slower than its events.
  await deleteOlder(db, before(WAITING_DELIVERIES_KEPT_DAYS), sql<boolean>`status = 'pending'`)
}

async function deleteOlder(db: Db, before: Date, hasStatus: RawBuilder<boolean>): Promise<void> {
  for (;;) {
    const old = await db
      .selectFrom('webhook_deliveries')
      .select(['organization_id', 'id'])
      .where('created_at', '<', before)
      .where(hasStatus)
      .limit(DELETED_AT_ONCE)
      .execute()
    for (const [organizationId, rows] of Map.groupBy(old, (row) => row.organization_id)) {
      await db
        .deleteFrom('webhook_deliveries')
        .where('organization_id', '=', organizationId)
        .where(sql<boolean>`id = any(${rows.map(({ id }) => id)}::uuid[])`)
        // It may have been replayed or sent meanwhile.
        .where(hasStatus)
        .execute()
    }
    if (old.length < DELETED_AT_ONCE) return
  }
}
