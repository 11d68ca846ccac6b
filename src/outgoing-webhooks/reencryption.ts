import type { Db } from '../database/database.ts'
import { reencryptColumn } from '../database/reencrypt-column.ts'
import { contextOf, type FindCipher } from './secrets.ts'

/** Re-encrypts secrets of older keys. @throws Error, once all are done, with the number that no key decrypts */
export async function reencryptSecrets(db: Db, findCipher: FindCipher): Promise<void> {
  let unreadable = 0
  for (const column of ['secret_ciphertext', 'previous_secret_ciphertext']) {
    const secrets = { table: 'outgoing_webhooks', column, key: ['organization_id', 'id'], contextOf } as const
    unreadable += (await reencryptColumn(db, findCipher, secrets)).unreadable.length
  }
  if (unreadable > 0)
    throw new Error(
      `ENCRYPTION_KEY: ${unreadable} secrets of webhooks cannot be decrypted with it; add the key they were encrypted with ` +
        'to the list, or rotate them',
    )
}
