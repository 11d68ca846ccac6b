import { z } from 'zod'
import { Greatest } from '../kernel/greatest.ts'
import type { Pausable } from '../kernel/slices.ts'
import { storableJson } from '../kernel/text.ts'
import type { Candidate, Candidates } from '../vector-memory/index.ts'
import type { NearChunk, NearestQuery } from './find-nearest.ts'
import { type KeptChunk, type KeptChunks, nameOf } from './kept-chunks.ts'
import { distanceOf, multiplierOf, type SumOrder } from './sum-order.ts'

/** A chunk of which the process knows how near it is. */
export interface KnownNear {
  candidate: Candidate
  chunk: NearChunk
  kept: KeptChunk
}

/** What is known of what a copy proposes, as far as it may be among the nearest. */
export interface Told {
  /** In scope, nearest first. */
  near: KnownNear[]
  /** Of these nothing is known. */
  unknown: readonly Candidate[]
}

/** A pause is worth it after so many: they take a fifth of a millisecond. */
const PAUSED_EVERY = 64

/**
 * Tells how near to a query those are that are kept, to the last digit as the database would.
 * @param order in which the database adds up; null: it is not known, and so nothing is
 */
export function* tellingNear(
  kept: KeptChunks,
  query: NearestQuery,
  { keys, copy }: Candidates,
  order: SumOrder | null,
): Pausable<Told> {
  if (order === null || !isCertainOfScope(query)) return { near: [], unknown: keys }
  const nearnessOf = createNearness(query, order)
  const matches = createMetadataTest(query)
  const known = kept.of(copy)
  const near: KnownNear[] = []
  const unknown: Candidate[] = []
  const best = new Greatest(query.limit)
  for (const [at, candidate] of keys.entries()) {
    // So are all that follow.
    if (candidate.atMost < best.least) break
    if (at % PAUSED_EVERY === PAUSED_EVERY - 1) yield
    const chunk = known.get(nameOf(candidate))
    if (chunk?.order !== order) unknown.push(candidate)
    else if (matches(chunk)) {
      const { score, meaning } = nearnessOf(chunk)
      const { itemId: sourceItemId, position } = candidate
      if (score <= 0) continue
      near.push({ candidate, chunk: { sourceItemId, position, score, meaning }, kept: chunk })
      best.note(score)
    }
  }
  return { near: near.toSorted((a, b) => byNearness(a.chunk, b.chunk)), unknown }
}

/** Whether it can be told here what the query asks of items: by what the copy and what is kept of them tell. */
export function isCertainOfScope({ entityIds }: NearestQuery): boolean {
  return entityIds === null
}

/** The order of the database: nearest first, then by item and position. */
export function byNearness(a: NearChunk, b: NearChunk): number {
  if (a.score !== b.score) return b.score - a.score
  if (a.sourceItemId !== b.sourceItemId) return a.sourceItemId < b.sourceItemId ? -1 : 1
  return a.position - b.position
}

/** How similar the last one is; 0 where there are fewer than were looked for. */
export function lastOf(chunks: readonly NearChunk[], { limit }: NearestQuery): number {
  return chunks.length < limit ? 0 : (chunks.at(-1)?.score ?? 0)
}

/** How near vectors are to the query's, as the database would say it; a score of 0 for one that it would not find. */
function createNearness(
  { vector, meaning }: NearestQuery,
  order: SumOrder,
): (other: KeptChunk) => Pick<NearChunk, 'score' | 'meaning'> {
  const halves = new Float16Array(vector)
  const multiplier = multiplierOf(halves, order)
  const squares = multiplier.with(halves)
  return (other) => {
    const distance = distanceOf(multiplier.with(other.values), squares, other.squares)
    return {
      score: distance < 1 ? 1 - distance : 0,
      meaning: meaning && multiplier.with(other.values, meaning),
    }
  }
}

const Stored = z.record(z.string(), z.unknown())

/** Whether a chunk's item has all values of the filter, as jsonb contains them: they are neither lists nor objects. */
function createMetadataTest({ filter }: NearestQuery): (chunk: KeptChunk) => boolean {
  // As it is stored: two keys may become the same, of which the last one counts.
  const asked = Object.entries(Stored.parse(storableJson(filter.metadata ?? {})))
  return ({ shown: { metadata } }) =>
    asked.every(([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value)
}
