import { z } from 'zod'
import { ACTOR_TYPES } from '../kernel/actions.ts'
import { EXAMPLE_ID, moment, shownId, text } from '../kernel/schemas.ts'
import { providerOf } from '../providers/index.ts'
import { EXAMPLE_QUERY, Hit } from '../retrieval/index.ts'

export const Citation = z
  .object({
    index: z.int().min(1).meta({ description: 'The number N of a marker `[N]`.', example: 1 }),
    sourceItemId: shownId('The cited item.', EXAMPLE_ID.sourceItem),
    title: text("The item's title.", 'Vacation'),
  })
  .meta({ id: 'Citation', description: 'The item that a marker cites.' })
export type Citation = z.output<typeof Citation>

export const CONTRACT_VERSION = '1.0'

const Limitation = z.object({
  code: z
    .enum([
      'provider_scope_applied',
      'permissions_applied',
      'source_stale',
      'source_sync_incomplete',
      'embedding_fallback',
      'weak_evidence',
      'nothing_cited',
      'approximate_search',
      'answer_truncated',
    ])
    .describe('The limitation, for programs.'),
  message: text('The limitation in words.', 'Recent changes may be missing'),
})
export type Limitation = z.output<typeof Limitation>

/** Each code at most once. */
export const Limitations = z.array(Limitation)

const Exclusion = z.object({
  type: z.literal('provider_scope').describe('Why it was excluded.'),
  provider: providerOf('The excluded provider.').meta({ example: 'gmail' }),
  reason: text('The reason in words.', 'The calling key may not read gmail'),
})
export type Exclusion = z.output<typeof Exclusion>

/** The Context Contract: hits with the facts that a viewer needs to rely on them. */
export const ContextContract = z
  .object({
    contract: z
      .object({
        version: z.literal(CONTRACT_VERSION).describe('The version of the contract.'),
        requestId: shownId(
          "The request's ID, which is also the `targetId` of its audit event.",
          EXAMPLE_ID.request,
        ),
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
    citations: z.array(Citation).describe('Citations, one for each hit, in the same order.'),
    exclusions: z.array(Exclusion).meta({
      description: 'Exclusions, one for each provider that the key may not read.',
      example: [],
    }),
    limitations: Limitations.meta({
      description: 'Reasons to rely less on the hits. Each code appears at most once.',
      example: [],
    }),
  })
  .meta({ id: 'ContextContract', description: 'Hits with citations, exclusions and limitations.' })
export type ContextContract = z.output<typeof ContextContract>
