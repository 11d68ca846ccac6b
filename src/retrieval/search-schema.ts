import { z } from 'zod'
import { SOURCE_KINDS, Timestamp } from '../items/index.ts'
import { PROVIDERS } from '../providers/index.ts'
import { distinct, givenId } from '../kernel/schemas.ts'

export const QUERY_CHARACTERS_MAX = 8_192
const METADATA_KEYS_MAX = 16
const TEXT_CHARACTERS_MAX = 1_000

/** The question, as it came: 1 to 8,192 characters, not counting white space around it. */
export const query = z.string().refine((text) => {
  const length = charactersUpTo(text.trim(), QUERY_CHARACTERS_MAX + 1)
  return length >= 1 && length <= QUERY_CHARACTERS_MAX
}, `must have 1 to ${QUERY_CHARACTERS_MAX} characters that are not white space around it`)

/** Hits at most. */
export const limit = z.int().min(1).max(25).default(8)

/** What hits have to be, beyond the caller's scope. */
export const SearchFilter = z
  .strictObject({
    providers: distinct(z.enum(PROVIDERS)).optional(),
    sourceKinds: distinct(z.enum(SOURCE_KINDS)).optional(),
    authorName: z.string().min(1).max(TEXT_CHARACTERS_MAX).optional(),
    updatedAfter: Timestamp.optional(),
    updatedBefore: Timestamp.optional(),
    connectorId: givenId.optional(),
    metadata: z
      .record(
        z.string().max(TEXT_CHARACTERS_MAX),
        z.union([z.string().max(TEXT_CHARACTERS_MAX), z.number(), z.boolean(), z.null()]),
      )
      .refine((value) => Object.keys(value).length <= METADATA_KEYS_MAX, `at most ${METADATA_KEYS_MAX} keys`)
      .optional(),
  })
  .meta({ id: 'SearchFilter' })
export type SearchFilter = z.output<typeof SearchFilter>

/** The body of search and context. */
export const SearchRequest = z
  .strictObject({ query, limit, filter: SearchFilter.optional() })
  .meta({ id: 'SearchRequest' })
export type SearchRequest = z.output<typeof SearchRequest>

export const Hit = z
  .object({
    sourceItemId: z.uuid(),
    title: z.string(),
    content: z.string(),
    url: z.string(),
    provider: z.enum(PROVIDERS),
    score: z.number().min(0).max(1),
    metadata: z.record(z.string(), z.unknown()),
    syncedAt: z.iso.datetime(),
  })
  .meta({ id: 'Hit' })
export type Hit = z.output<typeof Hit>

export const Citation = z
  .object({ index: z.int().min(1), sourceItemId: z.uuid(), title: z.string() })
  .meta({ id: 'Citation' })
export type Citation = z.output<typeof Citation>

/** Code points of a text, counted no further than `most`. */
function charactersUpTo(text: string, most: number): number {
  if (text.length <= most - 1) return text.length
  let count = 0
  for (const _ of text) if (++count >= most) break
  return count
}
