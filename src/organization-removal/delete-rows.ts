import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { LAYOUT } from '../database/distribution/layout.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'

/** Rows per statement: the embedded database has other work, and a statement holds its locks until it ends. */
const ROWS_AT_ONCE = 200

/** A table with rows of organizations, and its primary key without `organization_id`. */
export interface OwnedTable {
  name: string
  keys: readonly string[]
}

const Keys = z.array(z.object({ name: z.string(), keys: z.array(z.string()) }))

/** Every table with rows of organizations, referring tables first. @throws when one has no primary key */
export async function ownedTables(db: Db): Promise<OwnedTable[]> {
  const { rows } = await sql`
    select c.relname::text as name, array(
      select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum = any (i.indkey::int2[]) and a.attname <> 'organization_id' order by a.attnum
    ) as keys
    from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisprimary and c.relnamespace = 'public'::regnamespace`.execute(db)
  const found = new Map(Keys.parse(rows).map(({ name, keys }) => [name, keys]))
  return Object.entries(LAYOUT)
    .filter(([, placement]) => placement !== 'reference')
    .toReversed()
    .map(([name]) => {
      const keys = found.get(name)
      if (keys === undefined) throw new Error(`the table ${name} has no primary key`)
      return { name, keys }
    })
}

/** Deletes some rows of an organization. @returns whether there may be more */
export async function deleteSome(
  db: Db,
  { name, keys }: OwnedTable,
  organizationId: string,
): Promise<boolean> {
  const table = sql.table(name)
  const same = keys.map((key) => sql`and t.${sql.ref(key)} = d.${sql.ref(key)}`)
  // The key is only the organization, so there is one row.
  const some =
    keys.length === 0
      ? sql``
      : sql`using (
          select ${sql.join(keys.map((key) => sql.ref(key)))} from ${table} where organization_id = ${organizationId}
          limit ${ROWS_AT_ONCE}
        ) d`
  const { numAffectedRows = 0n } = await retryConflicts(() =>
    sql`
      delete from ${table} t ${some}
      where t.organization_id = ${organizationId} ${sql.join(same, sql` `)}`.execute(db),
  )
  return keys.length > 0 && numAffectedRows > 0n
}

export async function hasRows(db: Db, { name }: OwnedTable, organizationId: string): Promise<boolean> {
  const { rows } =
    await sql`select 1 from ${sql.table(name)} where organization_id = ${organizationId} limit 1`.execute(db)
  return rows.length > 0
}
