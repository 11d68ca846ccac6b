import { z } from 'zod'
import { reply } from '../http/route.ts'
import { twins } from '../http/twins.ts'
import { ACTOR_TYPES } from '../kernel/actions.ts'
import { PROVIDERS } from '../providers/index.ts'
import { CONTRACT_VERSION, type RetrieveContext } from './context.ts'
import type { Search } from './search.ts'
import { Citation, Hit, SearchRequest } from './search-schema.ts'

export interface RetrievalServices {
  retrieval: { search: Search; context: RetrieveContext }
}

const SearchResponse = z.object({ query: z.string(), hits: z.array(Hit) }).meta({ id: 'SearchResponse' })

const ContextContract = z
  .object({
    contract: z.object({
      version: z.literal(CONTRACT_VERSION),
      requestId: z.uuid(),
      endpoint: z.string(),
      issuedAt: z.iso.datetime(),
      callerActorType: z.enum([...ACTOR_TYPES, 'user']),
      callerApiKeyId: z.uuid().nullable(),
    }),
    query: z.object({ raw: z.string(), limit: z.int() }),
    hits: z.array(Hit),
    citations: z.array(Citation),
    exclusions: z.array(
      z.object({ type: z.literal('provider_scope'), provider: z.enum(PROVIDERS), reason: z.string() }),
    ),
    limitations: z.array(
      z.object({
        code: z.enum([
          'provider_scope_applied',
          'source_stale',
          'source_sync_incomplete',
          'embedding_fallback',
        ]),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: 'ContextContract' })

const shared = {
  method: 'POST',
  tag: 'Retrieval',
  consoleRole: 'member',
  credits: 1,
  body: SearchRequest,
  refuses: ['embedding_model_mismatch', 'upstream_error'],
} as const

export const retrievalRoutes = [
  ...twins<RetrievalServices>()({
    ...shared,
    operationId: 'search',
    path: '/search',
    summary: 'Search',
    description: 'Chunks by cosine similarity to the query, best first, within the providers of the key.',
    action: 'search',
    audit: 'none',
    responses: { 200: SearchResponse },
    handle: async ({ principal, body, signal }, { retrieval }) => {
      const { hits } = await retrieval.search(principal, body, signal)
      return reply(200, { query: body.query, hits })
    },
  }),
  ...twins<RetrievalServices>()({
    ...shared,
    operationId: 'context',
    path: '/context',
    summary: 'Retrieve a Context Contract',
    description: 'The same hits as search, with citations, what was left out, and what limits their meaning.',
    action: 'context',
    audit: 'context.retrieve',
    responses: { 200: ContextContract },
    handle: async ({ principal, body, requestId, path, signal }, { retrieval }) =>
      reply(200, await retrieval.context(principal, body, { requestId, path }, signal)),
  }),
]
