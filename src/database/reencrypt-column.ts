import { sql } from 'kysely'
import { type SecretCipher, UndecryptableSecret } from '../kernel/secret-cipher.ts'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'

/** A column of ciphertexts. */
export interface SecretColumn {
  table: keyof Schema
  column: string
  /** Columns that identify a row. */
  key: readonly string[]
  /** What the ciphertext of a row is bound to. */
  contextOf: (...key: string[]) => string
}

interface Row {
  key: string[]
  ciphertext: Buffer
}

const ROWS_AT_ONCE = 500

/**
 * Encrypts a column with the first key. Tries to decrypt every row: a key id is one byte, so a replaced key may have
 * the same id as the new one. Looks for the cipher only if there are rows; without one, it does nothing.
 * @returns how many rows it changed, and the keys of those that no key decrypts, which stay unchanged
 */
export async function reencryptColumn(
  db: Db,
  findCipher: () => Promise<SecretCipher | null>,
  column: SecretColumn,
): Promise<{ reencrypted: number; unreadable: string[][] }> {
  const unreadable: string[][] = []
  let reencrypted = 0
  let rows = await readAfter(db, column, null)
  while (rows.length > 0) {
    const cipher = await findCipher()
    if (cipher === null) break
    for (const row of rows) {
      const ciphertext = tryReencrypt(cipher, row, column)
      if (ciphertext === undefined) unreadable.push(row.key)
      if (!ciphertext) continue
      await replace(db, column, row, ciphertext)
      reencrypted += 1
    }
    rows = await readAfter(db, column, rows.at(-1)?.key ?? null)
  }
  return { reencrypted, unreadable }
}

async function readAfter(
  db: Db,
  { table, column, key }: SecretColumn,
  last: readonly string[] | null,
): Promise<Row[]> {
  const names = sql.join(key.map((name) => sql.ref(name)))
  const after = last === null ? sql`` : sql`and (${names}) > (${sql.join([...last])})`
  const { rows } = await sql<Row>`
    select array[${sql.join(key.map((name) => sql`${sql.ref(name)}::text`))}] as key, ${sql.ref(column)} as ciphertext
    from ${sql.table(table)} where ${sql.ref(column)} is not null ${after}
    order by ${names} limit ${ROWS_AT_ONCE}`.execute(db)
  return rows
}

/** Null: nothing to do; undefined: no key decrypts it. */
function tryReencrypt(
  cipher: SecretCipher,
  { ciphertext, key }: Row,
  { contextOf }: SecretColumn,
): Buffer | null | undefined {
  try {
    return cipher.reencrypt(ciphertext, contextOf(...key))
  } catch (error) {
    if (!(error instanceof UndecryptableSecret)) throw error
    return undefined
  }
}

/** Unless it has changed meanwhile. */
async function replace(db: Db, { table, column, key }: SecretColumn, row: Row, to: Buffer): Promise<void> {
  const isRow = key.map((name, at) => sql`${sql.ref(name)} = ${row.key[at]}`)
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${to}
    where ${sql.join(isRow, sql` and `)} and ${sql.ref(column)} = ${row.ciphertext}`.execute(db)
}
