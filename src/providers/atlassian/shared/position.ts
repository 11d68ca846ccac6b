import { createHash } from 'node:crypto'
import { z } from 'zod'

/** The suffix of the mark of an item with nothing to read. */
export const NOTHING = '!'

/** What runs have read: each item's mark, `CONTENT.READERS`, and what the last complete survey passes to the next. */
export const Position = z.object({
  known: z.record(z.string(), z.string()),
  survey: z.json().default(null),
})
export type Position = z.output<typeof Position>

export const emptyPosition = (): Position => ({ known: {}, survey: null })

/** The readers in a mark. */
export const readersIn = (mark: string): string => (mark.split('.')[1] ?? '').replace(NOTHING, '')

export const hashOf = (value: unknown, length: number): string =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, length)

/** Ids are numbers of any length. */
export const byNumber = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : one > other ? 1 : 0)
