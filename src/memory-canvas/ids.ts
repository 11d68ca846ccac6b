import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'

/** Ids as an array for `= any`: looked up in an index at one go, which a join with as many rows does one by one. */
export function idsOf(ids: Iterable<string>): RawBuilder<unknown> {
  return sql`(array(select value::uuid from json_array_elements_text(${JSON.stringify([...ids])}::json)))`
}

/** Ids as a value for `$1::uuid[]`: written at one go, which the driver does id by id. */
export function listOfIds(ids: readonly string[]): string {
  return `{${ids.join(',')}}`
}

/** Texts as a value for `$1::text[]`, in the same way. */
export function listOfTexts(texts: Iterable<string>): string {
  const quoted = Array.from(texts, (text) => `"${text.replace(/["\\]/g, '\\$&')}"`)
  return `{${quoted.join(',')}}`
}

const ListRow = z.tuple([z.object({ ids: z.string().nullable() })])

/** Ids that a statement gives as one text, `string_agg(id::text, ',') as ids`: a tenth of the work of a row for each. */
export function givenIds(rows: unknown): string[] {
  const [{ ids }] = ListRow.parse(rows)
  return listIn(ids)
}

/** What `string_agg` put together with `,` between. */
export function listIn(text: string | null): string[] {
  return text === null ? [] : text.split(',')
}

/** Longer lists than this are worth two sessions of the database. */
const AT_ONCE_MAX = 250

/** Does work for a list, the halves of a long one side by side: most of what takes long is to look up one by one. */
export async function inHalves<Item, Result>(
  list: readonly Item[],
  work: (part: readonly Item[]) => Promise<Result>,
): Promise<Result[]> {
  if (list.length <= AT_ONCE_MAX) return [await work(list)]
  const half = Math.ceil(list.length / 2)
  return await Promise.all([work(list.slice(0, half)), work(list.slice(half))])
}
