import { type RawBuilder, sql } from 'kysely'
import type { Readable } from '../kernel/reader.ts'

/**
 * The condition that an item may be read, given the column with its policy. Not a join: the planner would no longer use
 * an index's order for it. `coalesce` keeps it a hash table lookup.
 */
export function mayBeRead(readable: Readable, column: 'policy_id' | 'f.policy_id'): RawBuilder<unknown> {
  if (readable.isEverything) return sql`true`
  return sql`coalesce(${sql.ref(column)} in (select unnest(${readable.ids}::text::int[])), false)`
}
