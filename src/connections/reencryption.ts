import type { Db } from '../database/database.ts'
import { reencryptColumn } from '../database/reencrypt-column.ts'
import type { SecretCipher } from '../kernel/secret-cipher.ts'

/** The tables that store grants, and their key column next to the organization's id. */
const PLACES = [
  { table: 'source_credentials', idColumn: 'source_id' },
  { table: 'grant_revocations', idColumn: 'id' },
] as const

/** Re-encrypts stored grants and returns their number; throws at the end with the number of undecryptable ones. */
export function createReencryption(
  db: Db,
  cipher: SecretCipher,
  contextOf: (organizationId: string, sourceId: string) => string,
): () => Promise<number> {
  let known = new Set<string>()
  return async () => {
    const unreadable: string[] = []
    let total = 0
    for (const { table, idColumn } of PLACES) {
      const column = { table, column: 'ciphertext', key: ['organization_id', idColumn], contextOf }
      const done = await reencryptColumn(db, async () => cipher, column)
      total += done.reencrypted
      unreadable.push(...done.unreadable.map((key) => [table, ...key].join(':')))
    }
    const count = unreadable.filter((grant) => !known.has(grant)).length
    known = new Set(unreadable)
    if (count === 0) return total
    throw new Error(
      `ENCRYPTION_KEY: ${count} of the stored grants cannot be decrypted with it (or, if it is not set, with the ` +
        'key stored in DATA_DIR); add the key they were encrypted with to the list, or connect the accounts again',
    )
  }
}
