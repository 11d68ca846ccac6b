import { z } from 'zod'
import { providerOf } from '../providers/index.ts'
import { HITS_DEFAULT, HITS_MAX, QUERY_CHARACTERS_MAX, RECENCY_DAYS_MAX } from '../kernel/limits.ts'
import { EXAMPLE_ID, moment, onBehalfOf, shownId, text } from '../kernel/schemas.ts'
import { SearchFilter } from '../vector-memory/index.ts'

/** The question, unchanged: 1 to 8,192 characters without surrounding white space. */
export const query = z
  .string()
  .refine((given) => {
    const length = charactersUpTo(given.trim(), QUERY_CHARACTERS_MAX + 1)
    return length >= 1 && length <= QUERY_CHARACTERS_MAX
  }, `must have 1 to ${QUERY_CHARACTERS_MAX} characters, not counting white space around it`)
  .meta({
    description: 'What to search for, in your own words. The embedding model receives it unchanged.',
    example: 'How many vacation days do I get?',
  })

export const hitLimit = z.int().min(1).max(HITS_MAX).default(HITS_DEFAULT).describe('Maximum number of hits.')

/** How fast hits lose relevance with age. */
export const recency = z.number().min(1).max(RECENCY_DAYS_MAX).optional().meta({
  description:
    'A half-life in days, to prefer newer items. An item loses up to 35% of its relevance with age, half of that after one half-life.',
  example: 30,
})

const Rank = z.enum(['vector', 'hybrid'])

export const SearchRequest = z
  .strictObject({
    query,
    limit: hitLimit,
    filter: SearchFilter.optional(),
    onBehalfOf,
    recency,
    rank: Rank.default('vector').describe(
      "The order of hits: `vector` orders by score; `hybrid` combines the query's words with the vectors and returns `relevance`.",
    ),
  })
  .meta({ id: 'SearchRequest', description: 'The body of search and context.' })
export type SearchRequest = Omit<z.output<typeof SearchRequest>, 'rank'> & { rank?: z.output<typeof Rank> }

export const Hit = z
  .object({
    sourceItemId: shownId("The passage's item.", EXAMPLE_ID.sourceItem),
    title: text("The item's title.", 'Vacation'),
    content: text(
      'The passage.',
      'Employees get 25 days of paid vacation a year. Unused days expire in March.',
    ),
    url: text('The link to the original; empty: none.', 'https://wiki.example.com/vacation'),
    provider: providerOf("The item's provider."),
    score: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'Cosine similarity to the query, at most 1.', example: 0.62 }),
    relevance: z.number().min(0).max(1).optional().meta({
      description:
        'How well the hit matches, which determines the order. Only in hybrid order and in searches with `recency`.',
      example: 0.81,
    }),
    metadata: z
      .record(z.string(), z.unknown())
      .meta({ description: "The item's other fields.", example: { team: 'people' } }),
    syncedAt: moment('When the provider or the caller last confirmed the item.'),
  })
  .meta({ id: 'Hit', description: 'A passage found by a search.' })
export type Hit = z.output<typeof Hit>

/** Counts a text's code points up to `most`. */
function charactersUpTo(value: string, most: number): number {
  if (value.length <= most - 1) return value.length
  let count = 0
  for (const _ of value) if (++count >= most) break
  return count
}
