import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'

/** Ids as an array for `= any`, which uses the index once; a join looks up each row. */
export function idsOf(ids: Iterable<string>): RawBuilder<unknown> {
  return sql`(array(select value::uuid from json_array_elements_text(${JSON.stringify([...ids])}::json)))`
}

export function listOfTexts(texts: Iterable<string>): string {
  const quoted = Array.from(texts, (text) => `"${text.replace(/["\\]/g, '\\$&')}"`)
  return `{${quoted.join(',')}}`
}

const ListRow = z.tuple([z.object({ ids: z.string().nullable() })])

/** Ids that a statement returns as one text: a tenth of the work of a row for each. */
export function givenIds(rows: unknown): string[] {
  const [{ ids }] = ListRow.parse(rows)
  return listIn(ids)
}

/** Splits what `string_agg` joined with `,`. */
export function listIn(text: string | null): string[] {
  return text === null ? [] : text.split(',')
}

/** Longer lists are worth two database sessions. */
const AT_ONCE_MAX = 250

/** Runs work on a list, on both halves of a long one at once: lookups take most of the time. */
export async function inHalves<Item, Result>(
  list: readonly Item[],
  work: (part: readonly Item[]) => Promise<Result>,
): Promise<Result[]> {
  if (list.length <= AT_ONCE_MAX) return [await work(list)]
  const half = Math.ceil(list.length / 2)
  return await Promise.all([work(list.slice(0, half)), work(list.slice(half))])
}
