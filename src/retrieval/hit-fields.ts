import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { PROVIDERS } from '../providers/index.ts'

/** Does not check each value: a search reads hundreds of rows, and metadata can have a thousand values. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/**
 * The stored fields of a hit. For a new one, add its column here and describe it in `Hit` (`schemas.ts`): searches copy
 * every field. Only `toHit` (`search.ts`) names fields, to convert them or because they are not stored.
 */
export const ShownChunk = z.object({
  title: z.string(),
  url: z.string().nullable(),
  provider: z.enum(PROVIDERS),
  metadata: z.custom<Record<string, unknown>>(isObject),
  syncedAt: z.date(),
  content: z.string(),
})
export type ShownChunk = z.output<typeof ShownChunk>

/** The column of each field: of item `f` or chunk `c`. */
const COLUMNS: Record<keyof ShownChunk, `${'f' | 'c'}.${string}`> = {
  title: 'f.title',
  url: 'f.url',
  provider: 'f.provider',
  metadata: 'f.metadata',
  syncedAt: 'f.synced_at',
  content: 'c.content',
}

function select(table: 'f' | 'c', write: (name: string, column: string) => string): RawBuilder<unknown> {
  const own = Object.entries(COLUMNS).filter(([, column]) => column.startsWith(`${table}.`))
  return sql.raw(own.map(([name, column]) => write(name, column)).join(', '))
}

export const ITEM_FIELDS = select('f', (name, column) => `${column} as "${name}"`)
export const CHUNK_FIELDS = select('c', (name, column) => `${column} as "${name}"`)
/** The item's fields of a row `n` that has selected them. */
export const SELECTED_ITEM_FIELDS = select('f', (name) => `n."${name}"`)
