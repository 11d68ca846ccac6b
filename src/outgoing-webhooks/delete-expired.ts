import { sql } from 'kysely'
import { DAY_MS } from '../kernel/clock.ts'
import type { Db } from '../database/database.ts'
import { DELIVERIES_KEPT_DAYS } from '../kernel/retention.ts'

const DELETED_AT_ONCE = 1_000

/** Deletes deliveries settled two weeks ago, in batches, and secrets that no longer sign. */
export async function deleteExpiredDeliveries(db: Db, now: Date): Promise<void> {
  await db
    .updateTable('outgoing_webhooks')
    .set({ previous_secret_ciphertext: null, previous_secret_expires_at: null })
    .where('previous_secret_expires_at', '<=', now)
    .execute()
  const before = new Date(now.getTime() - DELIVERIES_KEPT_DAYS * DAY_MS)
  for (;;) {
    const old = await db
      .selectFrom('webhook_deliveries')
      .select(['organization_id', 'id'])
      .where('created_at', '<', before)
      .where('status', '<>', 'pending')
      .limit(DELETED_AT_ONCE)
      .execute()
    for (const [organizationId, rows] of Map.groupBy(old, (row) => row.organization_id)) {
      await db
        .deleteFrom('webhook_deliveries')
        .where('organization_id', '=', organizationId)
        .where(sql<boolean>`id = any(${rows.map(({ id }) => id)}::uuid[])`)
        // It may have been replayed meanwhile.
        .where('status', '<>', 'pending')
        .execute()
    }
    if (old.length < DELETED_AT_ONCE) return
  }
}
