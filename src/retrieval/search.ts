import type { Db } from '../database/database.ts'
import { type ModelRegistry, readModelState, type StoredModel } from '../embeddings/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { FairLimit } from '../kernel/fair-limit.ts'
import type { Caller } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { inSlices } from '../kernel/slices.ts'
import { findNearest, type NearestChunk, type NearestQuery } from './find-nearest.ts'
import { orderingByWordsToo, type Ranked } from './hybrid-order.ts'
import { orderingForReading } from './reading-order.ts'
import type { Hit, SearchRequest } from './search-schema.ts'
import { createEvidenceCheck } from './weak-evidence.ts'

export interface SearchResult {
  /** Best first; ties by item and position. */
  hits: Hit[]
  /** The name of the model that answered; null when nothing is stored yet. */
  model: string | null
  /** Whether even the nearest chunk is too far from the query to answer it; the same for every order and limit. */
  isWeak: boolean
}

/** What is looked for; `reading` is the order in which an answer reads what was found. */
export type SearchFor = Omit<SearchRequest, 'rank'> & { rank?: SearchRequest['rank'] | 'reading' }

/** @throws AppError `embedding_model_mismatch`, `upstream_error`, `overloaded`, and the reason of `signal` */
export type Search = (caller: Caller, request: SearchFor, signal?: AbortSignal) => Promise<SearchResult>

/** A switch of models can come between embedding the query and looking; more than one in a row is a fault. */
const ATTEMPTS_MAX = 4
const REMEMBERED_MAX = 10_000
/** The nearest chunks that an order by words too is made of; what is further away is not looked at. */
const CANDIDATES = 200

type Found = Omit<SearchResult, 'hits'> & { chunks: NearestChunk[] }

/**
 * Search within the caller's scope.
 *
 * The query is embedded with the model that answered for the organization last time. The statement that looks for the
 * nearest chunks also reads which model answers now; only when that has changed, the query is embedded again.
 */
export function createSearch({
  db,
  models,
  admit,
  terms,
}: {
  db: Db
  models: ModelRegistry
  /** Whose turn it is: a search scans all that an organization has. */
  admit: FairLimit
  terms: TermWeights
}): Search {
  const isWeak = createEvidenceCheck(db)
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

  const find = async (caller: Caller, request: SearchFor, signal?: AbortSignal): Promise<Found> => {
    const { organizationId } = caller
    const { query, limit, filter = {}, rank = 'vector' } = request
    const providers = providersInScope(caller, filter.providers)
    let answering = remembered.get(organizationId) ?? (await currentModel(organizationId))
    for (let attempt = 1; answering !== null; attempt++) {
      const loaded = await load(organizationId, answering)
      if (loaded === null) break
      const { model, embedder } = loaded
      const vector = await embedder.embedQuery(query, signal)
      if (providers?.length === 0) return { chunks: [], model: model.name, isWeak: false }
      const byVector = rank === 'vector'
      const nearestQuery: NearestQuery = {
        organizationId,
        model,
        vector,
        limit: byVector ? limit : Math.max(CANDIDATES, limit),
        meaning: byVector ? null : (embedder.meaning ?? null),
        providers,
        filter,
      }
      const nearest = await findNearest(db, nearestQuery)
      switch (nearest.state) {
        case 'found':
          remember(organizationId, model)
          return {
            chunks: nearest.chunks,
            model: model.name,
            isWeak: await isWeak(nearestQuery, nearest.chunks[0]?.score),
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
    return { chunks: [], model: null, isWeak: false }
  }

  return async (caller, request, signal) => {
    const run = (): Promise<Found> => find(caller, request, signal)
    // Who only orders what was found needs no place among those who scan.
    const { chunks, ...found } = await admit({ owner: caller.organizationId, signal, run })
    return { ...found, hits: await inOrder(chunks, request, terms, signal) }
  }
}

async function inOrder(
  chunks: readonly NearestChunk[],
  { query, limit, rank = 'vector' }: SearchFor,
  terms: TermWeights,
  signal?: AbortSignal,
): Promise<Hit[]> {
  const best = (ranked: readonly Ranked[]): { chunk: NearestChunk; relevance: number }[] =>
    ranked.slice(0, limit).flatMap(({ at, relevance }) => {
      const chunk = chunks[at]
      return chunk === undefined ? [] : [{ chunk, relevance }]
    })
  switch (rank) {
    case 'vector':
      return chunks.map(toHit)
    case 'hybrid': {
      const rankable = chunks.map((chunk) => ({ ...chunk, text: chunk.content }))
      const ranked = await inSlices(orderingByWordsToo(query, rankable, terms), signal)
      return best(ranked).map(({ chunk, relevance }) => ({ ...toHit(chunk), relevance }))
    }
    case 'reading':
      return best(await inSlices(orderingForReading(query, chunks, terms), signal)).map(({ chunk }) =>
        toHit(chunk),
      )
  }
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
