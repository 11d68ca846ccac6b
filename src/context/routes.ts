import { reply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import { retrievedOf, searchingRoute } from '../retrieval/index.ts'
import { type RetrieveContext } from './context.ts'
import { ContextContract } from './schemas.ts'

export interface ContextServices {
  context: RetrieveContext
}

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
