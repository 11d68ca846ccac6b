import type { ColumnType } from 'kysely'

export type Json = ColumnType<Record<string, unknown>, string, string>
export type NullableJson = ColumnType<
  Record<string, unknown> | null,
  string | null | undefined,
  string | null
>
export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
/** The database computes it from the row's other columns. */
export type Computed<T> = ColumnType<T, never, never>

/** Of a row that somebody works on: whoever holds the lease, until it runs out. */
export interface Leased {
  lease_id: Nullable<string>
  lease_expires_at: Nullable<Date>
}

/** The primary key of a row of an organization. */
export interface TenantRow {
  organization_id: string
  id: string
}
