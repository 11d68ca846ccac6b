import { z } from 'zod'
import type { Checksums } from './archive-format.ts'

/** An unlogged table, so it is empty in a backup. */
const UNLOGGED = 'rate_windows'
const TABLES = `
  select tablename as name from pg_tables where schemaname = 'public' and tablename <> '${UNLOGGED}' order by 1`

const Named = z.array(z.object({ name: z.string() }))
const Counted = z.array(z.object({ name: z.string(), rows: z.int() }))

/** How many rows each table has. It asks the database for its tables, because a backup can be of another version. */
export async function countRows(
  query: (statement: string) => Promise<readonly unknown[]>,
): Promise<Checksums['rows']> {
  const names = Named.parse(await query(TABLES)).map(({ name }) => name)
  const each = names.map((name) => {
    const quoted = `"${name.replaceAll('"', '""')}"`
    return `select '${name.replaceAll("'", "''")}' as name, (select count(*)::int from ${quoted}) as rows`
  })
  if (each.length === 0) return {}
  const counted = Counted.parse(await query(each.join(' union all ')))
  return Object.fromEntries(counted.map(({ name, rows }) => [name, rows]))
}
