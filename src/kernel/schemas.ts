import { z } from 'zod'

/** A UUID as a caller names a thing by it, in lower case as the database has it: ids are compared as text too. */
export const givenId = z.uuid().toLowerCase()

/** A short text that a person gives a thing: 1 to 200 characters that PostgreSQL can store. */
export const label = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must not contain control characters')

/** At least one entry and none twice. */
export function distinct<T extends z.ZodType>(entry: T) {
  return z
    .array(entry)
    .min(1)
    .max(100)
    .refine((list) => new Set(list).size === list.length, 'must not contain an entry twice')
}
