import type { Db } from '../database/database.ts'
import { type ModelRegistry, readModelState, type StoredModel } from '../embeddings/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { Caller } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { idsOfEntity } from '../memory-canvas/index.ts'
import type { NearestChunk } from './find-nearest.ts'
import type { SearchRequest } from './search-schema.ts'
import type { FindNearest } from './find-in-memory.ts'
import type { RankNearest } from './rank-nearest.ts'
import { createEvidenceCheck } from './weak-evidence.ts'

/** What is looked for; `reading` is the order in which an answer reads what was found. */
export type SearchFor = Omit<SearchRequest, 'rank'> & { rank?: SearchRequest['rank'] | 'reading' }

/** A found chunk, in hybrid order with how well it fits. */
export type FoundChunk = NearestChunk & { relevance?: number }

/** What was found. */
export interface Candidates {
  /** In hybrid order the best of it, best first; else nearest first; ties by item and position. */
  chunks: FoundChunk[]
  /** The name of the model that answered; null when nothing is stored yet. */
  model: string | null
  /** Whether even the nearest chunk is too far from the query to answer it; the same for every order and limit. */
  isWeak: boolean
  /** Whether nearer chunks may have been missed. */
  isApproximate: boolean
}

/** A switch of models can come between embedding the query and looking; more than one in a row is a fault. */
const ATTEMPTS_MAX = 4
const REMEMBERED_MAX = 10_000
/** The nearest chunks that an order by words too is made of; what is further away is not looked at. */
const CANDIDATES = 200

/**
 * Finds the chunks nearest to a query within the caller's scope: as many as the order that is asked for is made of.
 *
 * The query is embedded with the model that answered for the organization last time. The statement that looks for the
 * nearest chunks also reads which model answers now; only when that has changed, the query is embedded again.
 */
export function createFindCandidates({
  db,
  models,
  findNearest,
  rankNearest,
}: {
  db: Db
  models: ModelRegistry
  findNearest: FindNearest
  rankNearest: RankNearest
}): (caller: Caller, request: SearchFor, signal?: AbortSignal) => Promise<Candidates> {
  const isWeak = createEvidenceCheck(db)
  const remembered = new Map<string, StoredModel>()
  const remember = (organizationId: string, model: StoredModel): void => {
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(organizationId, model)
  }
  const currentModel = async (organizationId: string) => (await readModelState(db, organizationId)).active

  /** The model with what embeds by it. One that cannot be loaded any more makes way for the one that answers now. */
  const load = async (
    organizationId: string,
    model: StoredModel,
  ): Promise<{ model: StoredModel; embedder: EmbeddingModel } | null> => {
    const embedder = await models.find(model.name)
    if (embedder !== null) return { model, embedder }
    const current = await currentModel(organizationId)
    return current === null ? null : { model: current, embedder: await models.get(current.name) }
  }

  return async (caller, request, signal) => {
    const { organizationId } = caller
    const { query, limit, filter = {}, rank = 'vector' } = request
    const providers = providersInScope(caller, filter.providers)
    const entityIds = filter.entityId === undefined ? null : await idsOfEntity(db, caller, filter.entityId)
    const asked = { organizationId, providers, filter, entityIds, seenRevision: seenBy(caller) }
    let answering = remembered.get(organizationId) ?? (await currentModel(organizationId))
    for (let attempt = 1; answering !== null; attempt++) {
      const loaded = await load(organizationId, answering)
      if (loaded === null) break
      const { model, embedder } = loaded
      const vector = await embedder.embedQuery(query, signal)
      if (providers?.length === 0 || entityIds?.length === 0)
        return { chunks: [], model: model.name, isWeak: false, isApproximate: false }
      const wanted =
        rank === 'vector'
          ? { limit, meaning: null }
          : { limit: Math.max(CANDIDATES, limit), meaning: embedder.meaning ?? null }
      const nearestQuery = { ...asked, model, vector, ...wanted }
      const nearest = await (rank === 'hybrid'
        ? rankNearest(nearestQuery, { words: query, limit }, signal)
        : findNearest(nearestQuery))
      switch (nearest.state) {
        case 'found':
          remember(organizationId, model)
          return {
            chunks: nearest.chunks,
            model: model.name,
            isWeak: await isWeak(nearestQuery, nearest.best, nearest.countCompared),
            isApproximate: nearest.isApproximate,
          }
        case 'other_model':
          if (attempt === ATTEMPTS_MAX)
            throw new Error('the embedding model changed again and again during one search')
          answering = nearest.model
          break
        case 'nothing_stored':
          answering = null
      }
    }
    return { chunks: [], model: null, isWeak: false, isApproximate: false }
  }
}

/** The items' revision that the database had when the caller's key was looked up. */
function seenBy(caller: Caller): number | null {
  return caller.kind === 'agent' ? (caller.seenRevision ?? null) : null
}

/** The providers that a caller may see and that a filter asks for; null: every one. */
export function providersInScope(
  caller: Caller,
  asked: readonly ProviderId[] | undefined,
): readonly ProviderId[] | null {
  const scope = caller.allowedProviders
  if (scope === null) return asked ?? null
  return asked ? scope.filter((provider) => asked.includes(provider)) : scope
}
