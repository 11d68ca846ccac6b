import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { UndecryptableSecret } from '../kernel/secret-cipher.ts'

/** The tables that store grants, and their key column next to the organization's id. */
const PLACES = [
  { table: 'source_credentials', idColumn: 'source_id' },
  { table: 'grant_revocations', idColumn: 'id' },
] as const

const ROWS_AT_ONCE = 500
/** Sorts before every generated id. */
const NIL_ID = '00000000-0000-0000-0000-000000000000'

interface StoredGrant {
  organization_id: string
  id: string
  ciphertext: Buffer
}

interface Reencryption {
  reencrypted: number
  /** Grants that no key decrypts; they stay unchanged. */
  unreadable: string[]
}

/** Re-encrypts one grant with the first key; null when that key already encrypted it. @throws UndecryptableSecret */
type Reencrypt = (
  grant: { organizationId: string; sourceId: string },
  ciphertext: Uint8Array,
) => Buffer | null

/** Re-encrypts stored grants and returns their number; throws at the end with the number of undecryptable ones. */
export function createReencryption(db: Db, reencrypt: Reencrypt): () => Promise<number> {
  let known = new Set<string>()
  return async () => {
    const { reencrypted, unreadable } = await reencryptAll(db, reencrypt)
    const count = unreadable.filter((grant) => !known.has(grant)).length
    known = new Set(unreadable)
    if (count === 0) return reencrypted
    throw new Error(
      `ENCRYPTION_KEY: ${count} of the stored grants cannot be decrypted with it (or, if it is not set, with the ` +
        'key stored in DATA_DIR); add the key they were encrypted with to the list, or connect the accounts again',
    )
  }
}

/** Tries to decrypt every grant: a key id is one byte, so a replaced key may have the same id as the new one. */
async function reencryptAll(db: Db, reencrypt: Reencrypt): Promise<Reencryption> {
  const done: Reencryption = { reencrypted: 0, unreadable: [] }
  for (const place of PLACES) {
    let last: Pick<StoredGrant, 'organization_id' | 'id'> = { organization_id: NIL_ID, id: NIL_ID }
    for (;;) {
      const rows = await readAfter(db, place, last)
      for (const row of rows) await reencryptRow(db, reencrypt, place, row, done)
      const end = rows.at(-1)
      if (end === undefined || rows.length < ROWS_AT_ONCE) break
      last = end
    }
  }
  return done
}

async function readAfter(
  db: Db,
  { table, idColumn }: (typeof PLACES)[number],
  last: Pick<StoredGrant, 'organization_id' | 'id'>,
): Promise<StoredGrant[]> {
  const { rows } = await sql<StoredGrant>`
    select organization_id, ${sql.ref(idColumn)} as id, ciphertext from ${sql.table(table)}
    where (organization_id, ${sql.ref(idColumn)}) > (${last.organization_id}::uuid, ${last.id}::uuid)
    order by organization_id, ${sql.ref(idColumn)} limit ${ROWS_AT_ONCE}`.execute(db)
  return rows
}

/** The grant and its version stay the same, so a concurrent renewal overwrites this. */
async function reencryptRow(
  db: Db,
  reencrypt: Reencrypt,
  { table, idColumn }: (typeof PLACES)[number],
  row: StoredGrant,
  done: Reencryption,
): Promise<void> {
  const ciphertext = tryReencrypt(reencrypt, row)
  if (ciphertext === undefined) done.unreadable.push(`${table}:${row.organization_id}:${row.id}`)
  if (!ciphertext) return
  await sql`
    update ${sql.table(table)} set ciphertext = ${ciphertext}
    where organization_id = ${row.organization_id} and ${sql.ref(idColumn)} = ${row.id}
      and ciphertext = ${row.ciphertext}`.execute(db)
  done.reencrypted += 1
}

/** Null: nothing to do; undefined: no key decrypts it. */
function tryReencrypt(reencrypt: Reencrypt, row: StoredGrant): Buffer | null | undefined {
  try {
    return reencrypt({ organizationId: row.organization_id, sourceId: row.id }, row.ciphertext)
  } catch (error) {
    if (!(error instanceof UndecryptableSecret)) throw error
    return undefined
  }
}
