import { z } from 'zod'
import type { Retrieved } from '../http/gates.ts'
import { reply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import { ACTOR_TYPES } from '../kernel/actions.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { providerOf, PROVIDERS } from '../providers/index.ts'
import { EXAMPLE_ID, moment, shownId, text } from '../kernel/schemas.ts'
import { Limitations } from './limitations.ts'
import { CONTRACT_VERSION, type RetrieveContext } from './context.ts'
import type { Search } from './search.ts'
import { Citation, Hit, SearchRequest } from './search-schema.ts'

const EXAMPLE_QUERY = 'How many vacation days do I get?'

export interface RetrievalServices {
  retrieval: { search: Search; context: RetrieveContext }
}

const SearchResponse = z
  .object({
    query: text('The query, unchanged.', EXAMPLE_QUERY),
    hits: z.array(Hit).describe('The hits, best first.'),
  })
  .meta({ id: 'SearchResponse', description: 'The passages nearest to a query.' })

const ContextContract = z
  .object({
    contract: z
      .object({
        version: z.literal(CONTRACT_VERSION).describe('The version of the contract.'),
        requestId: shownId("The request's id, and the `targetId` of its audit event.", EXAMPLE_ID.request),
        endpoint: text('The path of the request.', '/v1/context'),
        issuedAt: moment('When the contract was created.'),
        callerActorType: z
          .enum([...ACTOR_TYPES, 'user'])
          .meta({ description: 'The kind of caller; `user` in the console.', example: 'agent' }),
        callerApiKeyId: z
          .uuid()
          .nullable()
          .meta({ description: "The caller's key; null in the console.", example: EXAMPLE_ID.apiKey }),
      })
      .describe('The origin of the contract.'),
    query: z
      .object({
        raw: text('The query, unchanged.', EXAMPLE_QUERY),
        limit: z.int().meta({ description: 'The limit that was applied.', example: 8 }),
      })
      .describe('The request.'),
    hits: z.array(Hit).describe('The hits, as in a search.'),
    citations: z.array(Citation).describe('One for each hit, in the same order.'),
    exclusions: z
      .array(
        z.object({
          type: z.literal('provider_scope').describe('Why it was excluded.'),
          provider: providerOf('The excluded provider.').meta({ example: 'gmail' }),
          reason: text('The same in words.', 'The calling key may not read gmail'),
        }),
      )
      .meta({
        description: 'Exclusions, one for each provider that the key may not read.',
        example: [],
      }),
    limitations: Limitations.meta({
      description: 'What limits the meaning of the hits, each code at most once.',
      example: [],
    }),
  })
  .meta({ id: 'ContextContract', description: 'Hits with citations, exclusions and limitations.' })

const shared = {
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
    ...shared,
    operationId: 'search',
    path: '/search',
    summary: 'Search',
    description:
      'The chunks nearest to the query by cosine similarity, best first, within the providers of the key. `rank: "hybrid"` orders the nearest by the words of the query too.',
    action: 'search',
    audit: 'search.retrieve',
    responses: { 200: SearchResponse },
    handle: async ({ reader, body, requestId, signal }, { retrieval }) => {
      const { hits } = await retrieval.search(reader, body, signal)
      const { query } = body
      return { ...reply(200, { query, hits }), retrieved: retrievedOf({ requestId, query }, hits) }
    },
  }),
  ...readingTwins<RetrievalServices>()({
    ...shared,
    operationId: 'context',
    path: '/context',
    summary: 'Retrieve a Context Contract',
    description:
      'The same hits as search, with citations, exclusions, and limitations: `weak_evidence` if nothing stored seems to answer, `approximate_search` if an approximate index answered.',
    action: 'context',
    audit: 'context.retrieve',
    responses: { 200: ContextContract },
    handle: async ({ reader, body, requestId, path, signal }, { retrieval }) => {
      const contract = await retrieval.context(reader, body, { requestId, path }, signal)
      const { hits, citations, exclusions } = contract
      const retrieved = {
        ...retrievedOf({ requestId, query: body.query }, hits),
        citationCount: citations.length,
        exclusionCount: exclusions.length,
      }
      return { ...reply(200, contract), retrieved }
    },
  }),
]

/** What the audit trail records of a retrieval with these hits. */
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
