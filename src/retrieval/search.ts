import type { Db } from '../database/database.ts'
import type { ModelRegistry } from '../embeddings/index.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { FairLimit } from '../kernel/fair-limit.ts'
import type { Caller } from '../kernel/principal.ts'
import { inSlices } from '../kernel/slices.ts'
import { type Candidates, createFindCandidates, type FoundChunk, type SearchFor } from './find-candidates.ts'
import type { FindNearest } from './find-in-memory.ts'
import { orderingForReading } from './reading-order.ts'
import type { RankNearest } from './rank-nearest.ts'
import type { Hit } from './search-schema.ts'

export interface SearchResult extends Omit<Candidates, 'chunks'> {
  /** Best first; ties by item and position. */
  hits: Hit[]
}

/** @throws AppError `embedding_model_mismatch`, `upstream_error`, `overloaded`, and the reason of `signal` */
export type Search = (caller: Caller, request: SearchFor, signal?: AbortSignal) => Promise<SearchResult>

/** Search within the caller's scope, in the order that is asked for. */
export function createSearch({
  db,
  models,
  findNearest,
  rankNearest,
  admit,
  terms,
}: {
  db: Db
  models: ModelRegistry
  findNearest: FindNearest
  rankNearest: RankNearest
  /** Whose turn it is: a search scans all that an organization has. */
  admit: FairLimit
  terms: TermWeights
}): Search {
  const find = createFindCandidates({ db, models, findNearest, rankNearest })
  return async (caller, request, signal) => {
    const run = (): Promise<Candidates> => find(caller, request, signal)
    // Who only orders what is to be read needs no place among those who scan.
    const { chunks, ...found } = await admit({ owner: caller.organizationId, signal, run })
    return { ...found, hits: await inOrder(chunks, request, terms, signal) }
  }
}

async function inOrder(
  chunks: readonly FoundChunk[],
  { query, limit, rank }: SearchFor,
  terms: TermWeights,
  signal?: AbortSignal,
): Promise<Hit[]> {
  if (rank !== 'reading') return chunks.map(toHit)
  const ordered = await inSlices(orderingForReading(query, chunks, terms), signal)
  return ordered.slice(0, limit).flatMap(({ at }) => {
    const chunk = chunks[at]
    return chunk === undefined ? [] : [toHit(chunk)]
  })
}

function toHit(chunk: FoundChunk): Hit {
  return {
    sourceItemId: chunk.sourceItemId,
    title: chunk.title,
    content: chunk.content,
    url: chunk.url ?? '',
    provider: chunk.provider,
    score: chunk.score,
    ...(chunk.relevance === undefined ? {} : { relevance: chunk.relevance }),
    metadata: chunk.metadata,
    syncedAt: chunk.syncedAt.toISOString(),
  }
}
