import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { decodeCursor, encodeCursor, type ListName, type ListPlace } from '../kernel/list-cursor.ts'
import type { Schema } from './schema.ts'

export interface PageQuery {
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  limit: number
}

/** The columns that a list is sorted by: a time and a unique id. */
export interface SortColumns {
  at: string
  id: string
}

/** A page of a list, newest first, at the same cost for every page. @throws AppError `validation_failed` */
export async function readPage<Tables extends keyof Schema, Row>(
  rows: SelectQueryBuilder<Schema, Tables, Row>,
  list: ListName,
  columns: SortColumns,
  { cursor, limit }: PageQuery,
): Promise<{ page: Row[]; nextCursor: string | null }> {
  const place = cursor === undefined ? null : decodeCursor(list, cursor)
  const found = await newestFirst(rows, columns, place)
    .limit(limit + 1)
    .execute()
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return {
    page,
    nextCursor: last === undefined ? null : encodeCursor(list, { at: last.place_at, id: last.place_id }),
  }
}

/** A time as exact as the database has it: a date of JavaScript ends at the millisecond. */
export function exactTime(at: RawBuilder<unknown>): RawBuilder<string> {
  return sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** Rows in the order of a list that come after a place (null: from the start), each with its own place. */
export function newestFirst<Tables extends keyof Schema, Row>(
  rows: SelectQueryBuilder<Schema, Tables, Row>,
  columns: SortColumns,
  place: ListPlace | null,
) {
  const [at, id] = [sql.ref<Date>(columns.at), sql.ref<string>(columns.id)]
  const ordered = rows
    .select(exactTime(at).as('place_at'))
    .select(sql<string>`${id}::text`.as('place_id'))
    .orderBy(at, 'desc')
    .orderBy(id, 'desc')
  return place === null
    ? ordered
    : ordered.where(sql<boolean>`(${at}, ${id}) < (${place.at}::timestamptz, ${place.id}::uuid)`)
}
