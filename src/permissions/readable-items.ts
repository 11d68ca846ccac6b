import { type RawBuilder, sql } from 'kysely'
import type { Readable } from '../kernel/viewer.ts'

/** The condition that an item may be read. A join would lose an index's order; `coalesce` keeps a hash look-up. */
export function mayBeRead(readable: Readable, column: 'policy_id' | 'f.policy_id'): RawBuilder<unknown> {
  if (readable.isEverything) return sql`true`
  return sql`coalesce(${sql.ref(column)} in (select unnest(${readable.ids}::text::int[])), false)`
}
