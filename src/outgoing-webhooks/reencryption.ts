import type { Db } from '../database/database.ts'
import type { SecretCipher } from '../kernel/secret-cipher.ts'
import { contextOf } from './secrets.ts'

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
