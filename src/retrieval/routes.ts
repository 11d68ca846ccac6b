import { z } from 'zod'
import type { Retrieved } from '../http/gates.ts'
import { reply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { PROVIDERS } from '../providers/index.ts'
import { text } from '../kernel/schemas.ts'
import type { Search } from './search.ts'
import { Hit, SearchRequest } from './schemas.ts'

export const EXAMPLE_QUERY = 'How many vacation days do I get?'

export interface RetrievalServices {
  retrieval: { search: Search }
}

const SearchResponse = z
  .object({
    query: text('The query, unchanged.', EXAMPLE_QUERY),
    hits: z.array(Hit).describe('The hits, best first.'),
  })
  .meta({ id: 'SearchResponse', description: 'The passages nearest to a query.' })

/** The common part of routes that search. */
export const searchingRoute = {
  method: 'POST',
  tag: 'Retrieval',
  consoleRole: 'member',
  credits: 1,
  body: SearchRequest,
  onBehalfOf: 'body',
  refuses: ['embedding_model_mismatch', 'upstream_error'],
} as const

export const retrievalRoutes = [
  ...readingTwins<RetrievalServices>()({
    ...searchingRoute,
    operationId: 'search',
    path: '/search',
    summary: 'Search',
    description:
      'The chunks nearest to the query by cosine similarity, best first, within the providers of the key. `rank: "hybrid"` also orders the nearest chunks by the words of the query.',
    action: 'search',
    audit: 'search.retrieve',
    responses: { 200: SearchResponse },
    handle: async ({ viewer, body, requestId, signal }, { retrieval }) => {
      const { hits } = await retrieval.search(viewer, body, signal)
      const { query } = body
      return { ...reply(200, { query, hits }), retrieved: retrievedOf({ requestId, query }, hits) }
    },
  }),
]

/** The audit record of a retrieval with these hits. */
export function retrievedOf(
  { requestId, query }: Pick<Retrieved, 'requestId' | 'query'>,
  hits: readonly { provider: ProviderId }[],
): Retrieved {
  const found = new Set(hits.map(({ provider }) => provider))
  return {
    requestId,
    query,
    hitCount: hits.length,
    providers: PROVIDERS.filter((provider) => found.has(provider)),
  }
}
