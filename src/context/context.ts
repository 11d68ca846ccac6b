import type { Db } from '../database/database.ts'
import { canMissWords } from '../evidence/index.ts'
import type { ModelRegistry } from '../models/index.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { Search, SearchRequest, SearchResult } from '../retrieval/index.ts'
import { exclusionsOf, findSources, limitationsOf } from './limitations.ts'
import { CONTRACT_VERSION, type ContextContract } from './schemas.ts'

/** The contract's description of its request. */
export interface ContextOrigin {
  requestId: string
  path: string
}

/** @throws what `Search` throws */
export type RetrieveContext = (
  viewer: Viewer,
  request: SearchRequest,
  origin: ContextOrigin,
  signal?: AbortSignal,
) => Promise<ContextContract>

export function createRetrieveContext(deps: {
  db: Db
  models: ModelRegistry
  clock: Clock
  search: Search
  terms: TermWeights
}): RetrieveContext {
  const { db, models, clock, search, terms } = deps
  /** Whether an answer would find the evidence weak. It searches in reading order and also compares words. */
  const seemsWeak = async (
    viewer: Viewer,
    { query, filter }: SearchRequest,
    { isWeak, coverNeeded }: SearchResult,
    signal?: AbortSignal,
  ): Promise<boolean> => {
    if (!canMissWords(query, coverNeeded, terms)) return isWeak
    const scope = filter === undefined ? {} : { filter }
    return (await search(viewer, { query, limit: 1, rank: 'reading', ...scope }, signal)).isWeak
  }
  return async (viewer, request, { requestId, path }, signal) => {
    const found = await search(viewer, request, signal)
    const { hits, model, isApproximate } = found
    const isWeak = await seemsWeak(viewer, request, found, signal)
    const sources = await findSources(db, viewer, request.filter ?? {})
    const now = clock.now()
    return {
      contract: {
        version: CONTRACT_VERSION,
        requestId,
        endpoint: path,
        issuedAt: now.toISOString(),
        callerActorType: viewer.kind === 'agent' ? viewer.actorType : 'user',
        callerApiKeyId: viewer.kind === 'agent' ? viewer.apiKeyId : null,
      },
      query: { raw: request.query, limit: request.limit },
      hits,
      citations: hits.map(({ sourceItemId, title }, index) => ({ index: index + 1, sourceItemId, title })),
      exclusions: exclusionsOf(viewer),
      limitations: limitationsOf(
        viewer,
        sources,
        { model, isWeak, isApproximate, configuredModel: models.configured.id },
        now,
      ),
    }
  }
}
