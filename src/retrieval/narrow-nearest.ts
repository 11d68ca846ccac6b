import type { Db } from '../database/database.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import type { Candidate, Candidates } from '../vector-memory/index.ts'
import { type Decided, decideHowNear, type NearChunk, type NearestQuery } from './find-nearest.ts'
import { type KeptVector, KeptVectors } from './kept-vectors.ts'
import { nameOf } from './known-words.ts'
import { type Bounds, boundless, createBounding, tellNearest } from './near-bounds.ts'
import { keyText, readVectors } from './read-chunks.ts'

/** One of the nearest, and between what how near it is lies. */
export interface BoundedChunk {
  candidate: Candidate
  bounds: Bounds
}

/** The nearest of what a copy proposes, and what the database said of some of them. */
export interface Narrowed {
  /** In no order. Of the best by score and the best by meaning it is known exactly how near they are. */
  chunks: BoundedChunk[]
  decided: Decided<NearChunk>
}

/** The nearest of what a copy proposes, as many as the query's limit. @throws the reason of `signal` */
export type NarrowNearest = (
  query: NearestQuery,
  proposed: Candidates,
  signal?: AbortSignal,
) => Promise<Narrowed>

/**
 * So many vectors that are not kept are read with a search: to read one costs the embedded database as much as to compare it, and a
 * server twice as much. The others are left to the database.
 */
const READ_MAX = 64

/**
 * Tells the nearest by vectors that are kept from one search to the next, as far as bounds can; how near the others are the
 * database is asked. Embedded, that is ten times as slow as to bound them here.
 */
export function createNarrowNearest(db: Db): NarrowNearest {
  const kept = new KeptVectors()

  return async (query, proposed, signal) => {
    const unknown = proposed.keys.map(() => boundless(query.meaning))
    if (!isCertainOfScope(query)) return await decide(query, proposed.keys, unknown)
    const narrowed = await decide(query, proposed.keys, await boundAll(query, proposed.keys, signal))
    // The copy may hold items of a removed source.
    if (narrowed.decided.removedSourceIds.length === 0) return narrowed
    return await decide(query, proposed.keys, unknown)
  }

  async function boundAll(
    query: NearestQuery,
    keys: readonly Candidate[],
    signal?: AbortSignal,
  ): Promise<Bounds[]> {
    const vectors = keys.map((key) => kept.find(nameOf(key)))
    const unknown = keys.flatMap((key, at) => (vectors[at] ? [] : [{ ...key, at }])).slice(0, READ_MAX)
    if (unknown.length > 0) {
      const places = new Map(unknown.map((one) => [keyText(one), one]))
      for (const read of await readVectors(db, query, unknown)) {
        const place = places.get(keyText(read))
        if (place) vectors[place.at] = kept.keep(nameOf(place), read.vector)
      }
    }
    return await inSlices(bounding(query, vectors), signal)
  }

  async function decide(
    query: NearestQuery,
    keys: readonly Candidate[],
    bounds: readonly Bounds[],
  ): Promise<Narrowed> {
    const { certain, open } = tellNearest(bounds, query.limit)
    const decided = await decideHowNear(
      db,
      query,
      open.flatMap((at) => keys[at] ?? []),
    )
    if (decided.nearest.state !== 'found') return { chunks: [], decided }
    const chunksAt = (at: number): BoundedChunk[] => {
      const [candidate, between] = [keys[at], bounds[at]]
      return candidate && between ? [{ candidate, bounds: between }] : []
    }
    const chunks = new Map(certain.flatMap(chunksAt).map((chunk) => [keyText(chunk.candidate), chunk]))
    const candidates = new Map(open.flatMap((at) => keys[at] ?? []).map((key) => [keyText(key), key]))
    for (const { sourceItemId: itemId, position, score, meaning } of decided.nearest.chunks) {
      const name = keyText({ itemId, position })
      const candidate = candidates.get(name)
      const exact = { score, meaning }
      if (candidate && (chunks.has(name) || chunks.size < query.limit))
        chunks.set(name, { candidate, bounds: { low: exact, high: exact } })
    }
    return {
      chunks: [...chunks.values()],
      decided: { ...decided, last: lastOf([...chunks.values()], query) },
    }
  }
}

/** Whether a copy tells all that the query asks of items as the database does. */
function isCertainOfScope({ filter, entityIds }: NearestQuery): boolean {
  return filter.metadata === undefined && entityIds === null
}

/** How similar the last one is at most; 0 where there are fewer than were looked for. */
function lastOf(chunks: readonly BoundedChunk[], { limit }: NearestQuery): number {
  if (chunks.length < limit) return 0
  return chunks.reduce((least, { bounds }) => Math.min(least, bounds.high.score), 1)
}

function* bounding(
  { vector, meaning }: NearestQuery,
  vectors: readonly (KeptVector | null)[],
): Pausable<Bounds[]> {
  const boundsOf = createBounding(vector, meaning)
  const bounds: Bounds[] = []
  for (const found of vectors) {
    yield
    bounds.push(found === null ? boundless(meaning) : boundsOf(found))
  }
  return bounds
}
