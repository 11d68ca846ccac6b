import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { SecretCipher } from '../kernel/secret-cipher.ts'
import { contextOf } from './secrets.ts'

export const DELIVERIES_KEPT_DAYS = 14
const DAY_MS = 24 * 3_600_000
const DELETED_AT_ONCE = 1_000

/** Deletes deliveries settled two weeks ago, in batches, and secrets that no longer sign. */
export async function sweepDeliveries(db: Db, now: Date): Promise<void> {
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

/** Re-encrypts secrets of older keys. @throws Error, once all are done, with the number that no key decrypts */
export async function reencryptSecrets(db: Db, cipher: SecretCipher): Promise<void> {
  let unreadable = 0
  const webhooks = await db
    .selectFrom('outgoing_webhooks')
    .select(['organization_id', 'id', 'secret_ciphertext', 'previous_secret_ciphertext'])
    .execute()
  for (const webhook of webhooks) {
    const context = contextOf(webhook.organization_id, webhook.id)
    for (const column of ['secret_ciphertext', 'previous_secret_ciphertext'] as const) {
      const old = webhook[column]
      const anew = old && tryReencrypt(cipher, old, context)
      if (anew === undefined) unreadable += 1
      if (!anew || !old) continue
      await db
        .updateTable('outgoing_webhooks')
        .set({ [column]: anew })
        .where('organization_id', '=', webhook.organization_id)
        .where('id', '=', webhook.id)
        .where(column, '=', old)
        .execute()
    }
  }
  if (unreadable > 0)
    throw new Error(
      `ENCRYPTION_KEY: ${unreadable} secrets of webhooks cannot be decrypted with it; add the key they were encrypted with ` +
        'to the list, or rotate them',
    )
}

/** Null: nothing to do; undefined: no key decrypts it. */
function tryReencrypt(cipher: SecretCipher, ciphertext: Buffer, context: string): Buffer | null | undefined {
  try {
    return cipher.reencrypt(ciphertext, context)
  } catch {
    return undefined
  }
}
