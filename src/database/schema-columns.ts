import type { ColumnType } from 'kysely'

export type Json = ColumnType<Record<string, unknown>, string, string>
export type NullableJson = ColumnType<
  Record<string, unknown> | null,
  string | null | undefined,
  string | null
>
export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
export type Computed<T> = ColumnType<T, never, never>

/** The lease of a row that a worker processes. The lease has an expiry. */
export interface Leased {
  lease_id: Nullable<string>
  lease_expires_at: Nullable<Date>
}

export interface TenantRow {
  organization_id: string
  id: string
}
