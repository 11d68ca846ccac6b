import type { Db } from '../database/database.ts'
import type { ModelRegistry } from '../embeddings/index.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { FairLimit } from '../kernel/fair-limit.ts'
import type { Caller } from '../kernel/principal.ts'
import { inSlices } from '../kernel/slices.ts'
import { type Candidates, createFindCandidates, type SearchFor } from './find-candidates.ts'
import type { FindNearest } from './find-in-memory.ts'
import type { NearestChunk } from './find-nearest.ts'
import { orderingByWordsToo, type Ranked } from './hybrid-order.ts'
import { orderingForReading } from './reading-order.ts'
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
  admit,
  terms,
}: {
  db: Db
  models: ModelRegistry
  findNearest: FindNearest
  /** Whose turn it is: a search scans all that an organization has. */
  admit: FairLimit
  terms: TermWeights
}): Search {
  const find = createFindCandidates({ db, models, findNearest })
  return async (caller, request, signal) => {
    const run = (): Promise<Candidates> => find(caller, request, signal)
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
  const best = (ranked: readonly Ranked[], isShown: boolean): Hit[] =>
    ranked.slice(0, limit).flatMap(({ at, relevance }) => {
      const chunk = chunks[at]
      return chunk === undefined ? [] : [toHit(chunk, isShown ? relevance : null)]
    })
  switch (rank) {
    case 'vector':
      return chunks.map((chunk) => toHit(chunk, null))
    case 'hybrid': {
      const rankable = chunks.map(({ title, content, score, meaning }) => ({
        title,
        text: content,
        score,
        meaning,
      }))
      return best(await inSlices(orderingByWordsToo(query, rankable, terms), signal), true)
    }
    case 'reading':
      return best(await inSlices(orderingForReading(query, chunks, terms), signal), false)
  }
}

function toHit(chunk: NearestChunk, relevance: number | null): Hit {
  return {
    sourceItemId: chunk.sourceItemId,
    title: chunk.title,
    content: chunk.content,
    url: chunk.url ?? '',
    provider: chunk.provider,
    score: chunk.score,
    ...(relevance === null ? {} : { relevance }),
    metadata: chunk.metadata,
    syncedAt: chunk.syncedAt.toISOString(),
  }
}
