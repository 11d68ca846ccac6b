import { z } from 'zod'
import { reply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import { ACTOR_TYPES } from '../kernel/actions.ts'
import { EXAMPLE_ID, moment, shownId, text } from '../kernel/schemas.ts'
import { providerOf } from '../providers/index.ts'
import { EXAMPLE_QUERY, Hit, retrievedOf, searchingRoute } from '../retrieval/index.ts'
import { Citation } from './citation.ts'
import { CONTRACT_VERSION, type RetrieveContext } from './context.ts'
import { Limitations } from './limitations.ts'

export interface ContextServices {
  context: RetrieveContext
}

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

export const contextRoutes = [
  ...readingTwins<ContextServices>()({
    ...searchingRoute,
    operationId: 'context',
    path: '/context',
    summary: 'Retrieve a Context Contract',
    description:
      'The same hits as search, with citations, exclusions, and limitations: `weak_evidence` if nothing stored seems to answer, `approximate_search` if an approximate index answered.',
    action: 'context',
    audit: 'context.retrieve',
    responses: { 200: ContextContract },
    handle: async ({ viewer, body, requestId, path, signal }, { context }) => {
      const contract = await context(viewer, body, { requestId, path }, signal)
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
