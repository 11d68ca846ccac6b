import { type RawBuilder, sql } from 'kysely'
import type { Readable } from '../kernel/reader.ts'

/**
 * That an item may be read, by a column with its policy. Not a join: the planner would give up the order of an index for it.
 * `coalesce` keeps it a lookup in a hash table.
 */
export function mayBeRead(readable: Readable, column: 'policy_id' | 'f.policy_id'): RawBuilder<unknown> {
  if (readable.isEverything) return sql`true`
  return sql`coalesce(${sql.ref(column)} in (select unnest(${readable.ids}::text::int[])), false)`
}
