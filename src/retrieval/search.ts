import type { Db } from '../database/database.ts'
import { type ModelRegistry, readModelState, type StoredModel } from '../embeddings/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { FairLimit } from '../kernel/fair-limit.ts'
import type { Caller } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { findNearest, type NearestChunk } from './find-nearest.ts'
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

  const search: Search = async (caller, { query, limit, filter = {} }, signal) => {
    const { organizationId } = caller
    const providers = providersInScope(caller, filter.providers)
    let answering = remembered.get(organizationId) ?? (await currentModel(organizationId))
    for (let attempt = 1; answering !== null; attempt++) {
      const loaded = await load(organizationId, answering)
      if (loaded === null) break
      const { model, embedder } = loaded
      const vector = await embedder.embedQuery(query, signal)
      if (providers?.length === 0) return { hits: [], model: model.name }
      const nearest = await findNearest(db, { organizationId, model, vector, limit, providers, filter })
      switch (nearest.state) {
        case 'found':
          remember(organizationId, model)
          return { hits: nearest.chunks.map(toHit), model: model.name }
        case 'other_model':
          if (attempt === ATTEMPTS_MAX)
            throw new Error('the embedding model changed again and again during one search')
          answering = nearest.model
          break
        case 'nothing_stored':
          answering = null
      }
    }
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
