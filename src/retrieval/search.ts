import type { Db } from '../database/database.ts'
import { type ModelRegistry, readModelState, type StoredModel } from '../embeddings/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { FairLimit } from '../kernel/fair-limit.ts'
import type { Caller } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { findNearest, type NearestChunk, type NearestQuery } from './find-nearest.ts'
import type { Hit, SearchRequest } from './search-schema.ts'

export interface SearchResult {
  /** Best first; ties by item and position. */
  hits: Hit[]
  /** The name of the model that answered; null when nothing is stored yet. */
  model: string | null
}

/** @throws AppError `embedding_model_mismatch`, `upstream_error`, `overloaded`, and the reason of `signal` */
export type Search = (caller: Caller, request: SearchRequest, signal?: AbortSignal) => Promise<SearchResult>

/** A switch of models can come between embedding the query and looking; more than one in a row is a fault. */
const ATTEMPTS_MAX = 4
const REMEMBERED_MAX = 10_000

/**
 * Vector search within the caller's scope.
 *
 * The query is embedded with the model that answered for the organization last time. The statement that looks for the
 * nearest chunks also reads which model answers now; only when that has changed, the query is embedded again.
 */
export function createSearch({
  db,
  models,
  admit,
}: {
  db: Db
  models: ModelRegistry
  /** Whose turn it is: a search scans all that an organization has. */
  admit: FairLimit
}): Search {
  const remembered = new Map<string, StoredModel>()
  const remember = (organizationId: string, model: StoredModel): void => {
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(organizationId, model)
  }
  const currentModel = async (organizationId: string): Promise<StoredModel | null> =>
    (await readModelState(db, organizationId)).active

  const search: Search = async (caller, { query, limit, filter = {} }, signal) => {
    const { organizationId } = caller
    const providers = providersInScope(caller, filter.providers)
    let active = remembered.get(organizationId) ?? (await currentModel(organizationId))
    for (let attempt = 1; attempt <= ATTEMPTS_MAX && active !== null; attempt++) {
      let model: EmbeddingModel | null = await models.find(active.name)
      if (model === null) {
        active = await currentModel(organizationId)
        if (active === null) break
        model = await models.get(active.name)
      }
      const vector = await model.embedQuery(query, signal)
      if (providers?.length === 0) return { hits: [], model: active.name }
      const nearestQuery: NearestQuery = {
        organizationId,
        modelId: active.id,
        vector,
        limit,
        providers,
        filter,
      }
      const nearest = await findNearest(db, nearestQuery)
      if (nearest.active?.id === active.id) {
        remember(organizationId, active)
        return { hits: nearest.chunks.map(toHit), model: active.name }
      }
      active = nearest.active
    }
    if (active !== null) throw new Error('the embedding model changed again and again during one search')
    return { hits: [], model: null }
  }

  return (caller, request, signal) =>
    admit({ owner: caller.organizationId, signal, run: () => search(caller, request, signal) })
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

function toHit(chunk: NearestChunk): Hit {
  return {
    sourceItemId: chunk.sourceItemId,
    title: chunk.title,
    content: chunk.content,
    url: chunk.url ?? '',
    provider: chunk.provider,
    score: chunk.score,
    metadata: chunk.metadata,
    syncedAt: chunk.syncedAt.toISOString(),
  }
}
