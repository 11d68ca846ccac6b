import { type RawBuilder, sql } from 'kysely'

/** Ids as an array for `= any`: looked up in an index at one go, which a join with as many rows does one by one. */
export function idsOf(ids: Iterable<string>): RawBuilder<unknown> {
  return sql`(array(select value::uuid from json_array_elements_text(${JSON.stringify([...ids])}::json)))`
}

/** Ids as a value for `$1::uuid[]`: written at one go, which the driver does id by id. */
export function listOfIds(ids: readonly string[]): string {
  return `{${ids.join(',')}}`
}
