import type { Db } from '../database/database.ts'
import {
  createEvidenceCheck,
  type EvidenceQuery,
  isEnglish,
  isGreeting,
  lacksEvidence,
} from '../evidence/index.ts'
import { type ModelRegistry, readModelState, type StoredModel } from '../models/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FairLimit } from '../kernel/fair-limit.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { runCooperatively } from '../kernel/cooperative.ts'
import { idsOfEntity } from '../memory-canvas/index.ts'
import type { FindNearest } from './find-nearest.ts'
import type { Nearest, NearestChunk, NearestQuery } from './nearest-query.ts'
import { orderByAge } from './rank/by-age.ts'
import type { RankedChunk } from './rank/rank-nearest.ts'
import { orderForReading } from './rank/reading-order.ts'
import type { SearchFilter } from '../vector-memory/index.ts'
import type { Hit, SearchRequest } from './schemas.ts'

/** A search request. With rank `reading`, hits are ordered for reading by an answer. */
export type SearchFor = Omit<SearchRequest, 'rank' | 'onBehalfOf'> & {
  rank?: SearchRequest['rank'] | 'reading'
}

export interface SearchResult {
  /** Best first; ties by item and position. */
  hits: Hit[]
  /** The name of the active model; null: nothing is stored yet. */
  model: string | null
  /** Whether even the nearest chunk is too far from the query to answer it. In reading order, words count too. */
  isWeak: boolean
  /** The share of the query's words that a passage needs if the nearest chunk's score is inconclusive; else 0. */
  coverNeeded: number
  /** Whether nearer chunks may be missing. */
  isApproximate: boolean
}

/** @throws AppError `embedding_model_mismatch`, `upstream_error`, `overloaded`, and the reason of `signal` */
export type Search = (viewer: Viewer, request: SearchFor, signal?: AbortSignal) => Promise<SearchResult>

/** A query without its model, vector, and limit. */
type QueryScope = Omit<NearestQuery, 'model' | 'vector' | 'meaning' | 'limit'>
type FoundNearest = Extract<Nearest<FoundChunk>, { state: 'found' }>
type FoundChunk = NearestChunk & Partial<Pick<RankedChunk, 'relevance' | 'words'>>
type Found = Omit<SearchResult, 'hits'> & Pick<FoundNearest, 'chunks'>
const NOTHING: Found = { chunks: [], model: null, isWeak: false, coverNeeded: 0, isApproximate: false }

/** The organization can switch models between embedding and searching. More switches in a row are a fault. */
const ATTEMPTS_MAX = 4
const MODELS_CACHED_MAX = 10_000
/** Candidates of the hybrid order; more do not improve it (docs/explanation/evaluation.md). */
const CANDIDATES = 200
/** An answer reads the best of at least this many chunks in hybrid order. */
const READ_MIN = 40
/** Age reorders this many of the best chunks. */
const AGED_MIN = 100

/** Searches what the caller may read, embedding again only if the organization's model has changed. */
export function createSearch({
  db,
  models,
  findNearest,
  admit,
  terms,
  clock,
}: {
  db: Db
  models: ModelRegistry
  findNearest: FindNearest
  /** Alternates between organizations, because a search scans all vectors of one. */
  admit: FairLimit
  terms: TermWeights
  clock: Clock
}): Search {
  const checkEvidence = createEvidenceCheck(db)
  const lastModels = new Map<string, StoredModel>()
  const currentModel = async (organizationId: string) => (await readModelState(db, organizationId)).active

  /** Loads a model with its embedding function. Uses the current model in place of one that can no longer be loaded. */
  const load = async (
    organizationId: string,
    model: StoredModel,
  ): Promise<{ model: StoredModel; embedder: EmbeddingModel } | null> => {
    const embedder = await models.find(model.name)
    if (embedder !== null) return { model, embedder }
    const current = await currentModel(organizationId)
    return current === null ? null : { model: current, embedder: await models.get(current.name) }
  }

  /** The query without its model; null: nothing is in scope. */
  const scopeOf = async (viewer: Viewer, filter: SearchFilter): Promise<QueryScope | null> => {
    const { organizationId, readable } = viewer
    const providers = providersInScope(viewer, filter.providers)
    const entityIds = filter.entityId === undefined ? null : await idsOfEntity(db, viewer, filter.entityId)
    if (providers?.length === 0 || entityIds?.length === 0) return null
    const seenRevision = viewer.kind === 'agent' ? (viewer.seenRevision ?? null) : null
    return { organizationId, providers, readable, filter, entityIds, seenRevision }
  }

  const toFound = async (asked: EvidenceQuery, nearest: FoundNearest): Promise<Found> => {
    if (lastModels.size >= MODELS_CACHED_MAX) lastModels.clear()
    lastModels.set(asked.organizationId, asked.model)
    const { chunks, best, countCompared, isApproximate } = nearest
    const evidence = await checkEvidence(asked, best, countCompared)
    return { chunks, model: asked.model.name, ...evidence, isApproximate }
  }

  const find = async (viewer: Viewer, request: SearchFor, signal?: AbortSignal): Promise<Found> => {
    const { organizationId } = viewer
    const scope = await scopeOf(viewer, request.filter ?? {})
    let answering = lastModels.get(organizationId) ?? (await currentModel(organizationId))
    for (let attempt = 1; answering !== null; attempt++) {
      if (attempt > ATTEMPTS_MAX) throw new Error('the embedding model changed repeatedly during one search')
      const loaded = await load(organizationId, answering)
      if (loaded === null) break
      const { model, embedder } = loaded
      const vector = await embedder.embedQuery(request.query, signal)
      if (scope === null) return { ...NOTHING, model: model.name }
      const asked = { ...scope, model, ...formOf(request.query, terms) }
      const query = { ...scope, model, vector, meaning: embedder.meaning ?? null }
      const nearest = await inOrder(findNearest, query, request, signal)
      if (nearest.state === 'found') return await toFound(asked, nearest)
      answering = nearest.state === 'other_model' ? nearest.model : null
    }
    return NOTHING
  }

  return async (viewer, request, signal) => {
    const run = (): Promise<Found> => find(viewer, request, signal)
    const found = await admit({ owner: viewer.organizationId, signal, run })
    return await toResult({ db, clock, terms }, viewer, request, found, signal)
  }
}

function formOf(query: string, terms: TermWeights): Pick<EvidenceQuery, 'isEnglish' | 'isGreeting'> {
  return { isEnglish: isEnglish(query, terms), isGreeting: isGreeting(query) }
}

async function toResult(
  { db, clock, terms }: { db: Db; clock: Clock; terms: TermWeights },
  { organizationId }: Viewer,
  { query, limit, rank, recency }: SearchFor,
  { chunks, ...found }: Found,
  signal?: AbortSignal,
): Promise<SearchResult> {
  const toHits = (ordered: readonly FoundChunk[]): Hit[] =>
    ordered.slice(0, limit).map((chunk) => toHit(chunk, rank))
  if (rank === 'reading') {
    const read = await runCooperatively(orderForReading(query, chunks, terms), signal)
    const isWeak = await runCooperatively(lacksEvidence(query, read, found, terms), signal)
    return { ...found, hits: toHits(read), isWeak }
  }
  if (recency === undefined) return { ...found, hits: toHits(chunks) }
  const now = clock.now()
  return { ...found, hits: toHits(await orderByAge(db, { organizationId, now, recency }, chunks)) }
}

function inOrder(
  { nearest, ranked }: FindNearest,
  query: Omit<NearestQuery, 'limit'>,
  { query: words, limit: asked, rank = 'vector', recency }: SearchFor,
  signal?: AbortSignal,
): Promise<Nearest<FoundChunk>> {
  const limit = recency === undefined ? asked : Math.max(AGED_MIN, asked)
  const candidates = { ...query, limit: Math.max(CANDIDATES, limit) }
  switch (rank) {
    case 'vector':
      return nearest({ ...query, limit })
    case 'hybrid':
      return ranked(candidates, { words, limit }, signal)
    case 'reading':
      return ranked(candidates, { words, limit: Math.max(READ_MIN, limit) }, signal)
  }
}

/** The providers that are visible to a caller and match a filter; null: all. */
export function providersInScope(
  caller: Caller,
  asked: readonly ProviderId[] | undefined,
): readonly ProviderId[] | null {
  const scope = caller.allowedProviders
  if (scope === null) return asked ?? null
  return asked ? scope.filter((provider) => asked.includes(provider)) : scope
}

function toHit(chunk: FoundChunk, rank: SearchFor['rank']): Hit {
  const { position: _position, words: _words, relevance, url, syncedAt, ...shown } = chunk
  return {
    ...shown,
    url: url ?? '',
    ...(rank !== 'reading' && relevance !== undefined ? { relevance } : {}),
    syncedAt: syncedAt.toISOString(),
  }
}
