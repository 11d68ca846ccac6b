import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { PROVIDERS } from '../providers/index.ts'

/** A new field belongs here, in `COLUMNS` and in `Hit`. */
export const ShownItem = z.object({
  title: z.string(),
  url: z.string().nullable(),
  provider: z.enum(PROVIDERS),
  metadata: z.record(z.string(), z.unknown()),
  syncedAt: z.date(),
})
export type ShownItem = z.output<typeof ShownItem>

const COLUMNS: Readonly<Record<keyof ShownItem, string>> = {
  title: 'title',
  url: 'url',
  provider: 'provider',
  metadata: 'metadata',
  syncedAt: 'synced_at',
}

/** The columns of an item in a hit, from the table or statement `of`, by the names of `ShownItem`. */
export function shownColumns(of: string): RawBuilder<unknown> {
  return sql.join(
    Object.entries(COLUMNS).map(([field, column]) => sql`${sql.ref(`${of}.${column}`)} as ${sql.ref(field)}`),
  )
}
