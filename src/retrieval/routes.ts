import { z } from 'zod'
import { reply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import { ACTOR_TYPES } from '../kernel/actions.ts'
import { providerOf } from '../providers/index.ts'
import { EXAMPLE_ID, moment, shownId, text } from '../kernel/schemas.ts'
import { Limitations } from './limitations-schema.ts'
import { CONTRACT_VERSION, type RetrieveContext } from './context.ts'
import { retrievedOf } from './retrieved.ts'
import type { Search } from './search.ts'
import { Citation, Hit, SearchRequest } from './search-schema.ts'

const EXAMPLE_QUERY = 'How many vacation days do I get?'

export interface RetrievalServices {
  retrieval: { search: Search; context: RetrieveContext }
}

const SearchResponse = z
  .object({
    query: text('The query as it was sent.', EXAMPLE_QUERY),
    hits: z.array(Hit).describe('What was found, the best first.'),
  })
  .meta({ id: 'SearchResponse', description: 'The passages nearest to a query.' })

const ContextContract = z
  .object({
    contract: z
      .object({
        version: z.literal(CONTRACT_VERSION).describe('The version of this shape.'),
        requestId: shownId("The request's id, and the `targetId` of its audit event.", EXAMPLE_ID.request),
        endpoint: text('The path that was called.', '/v1/context'),
        issuedAt: moment('When the contract was made.'),
        callerActorType: z
          .enum([...ACTOR_TYPES, 'user'])
          .meta({ description: 'What kind of caller asked; `user` in the console.', example: 'agent' }),
        callerApiKeyId: z
          .uuid()
          .nullable()
          .meta({ description: 'The key that asked; null in the console.', example: EXAMPLE_ID.apiKey }),
      })
      .describe('Where the contract is from.'),
    query: z
      .object({
        raw: text('The query as it was sent.', EXAMPLE_QUERY),
        limit: z.int().meta({ description: 'The limit that was applied.', example: 8 }),
      })
      .describe('What was asked.'),
    hits: z.array(Hit).describe('What was found, as search finds it.'),
    citations: z.array(Citation).describe('One for each hit, in their order.'),
    exclusions: z
      .array(
        z.object({
          type: z.literal('provider_scope').describe('Why it was left out.'),
          provider: providerOf('The provider that was left out.').meta({ example: 'gmail' }),
          reason: text('The same in words.', 'The calling key may not read gmail'),
        }),
      )
      .meta({
        description: 'What was left out: one for each provider that the key may not read.',
        example: [],
      }),
    limitations: Limitations.meta({
      description: 'What a reader has to know to rely on the hits, each code at most once.',
      example: [],
    }),
  })
  .meta({ id: 'ContextContract', description: 'Hits with what a reader has to know to rely on them.' })

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
      'The same hits as search, with citations, what was left out, and what limits their meaning: `weak_evidence` where nothing stored seems to answer, `approximate_search` where an approximate index was searched.',
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
