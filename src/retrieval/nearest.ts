import type { CandidateSet } from '../vector-memory/index.ts'
import { createScore } from '../vector-scan/index.ts'
import {
  byKey,
  type ChunkRow,
  type Nearest,
  type NearestChunk,
  type NearestQuery,
  type Outcome,
  type CandidateSource,
} from './nearest-query.ts'
import type { ReadCandidates } from './read-candidates.ts'

/** The maximum number of searches for candidates, under constant writes or when candidates disappear. */
const ROUNDS_MAX = 5
/** The factor by which the limit grows if there are too few candidates. */
const WIDER = 4

/** Answers from a source's candidates; asks for newer or more if needed. @returns null without a result */
export async function searchWith<Chunk>(
  source: CandidateSource,
  query: NearestQuery,
  answer: (candidateSet: CandidateSet, isFresh: boolean) => Promise<Outcome<Chunk>>,
): Promise<Nearest<Chunk> | null> {
  let { limit } = query
  let isCaughtUp = false
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const candidateSet = await source.findCandidates(limit)
    if (candidateSet === null) return null
    const isSeen = query.seenRevision !== null && candidateSet.revision >= query.seenRevision
    const outcome = await answer(candidateSet, isCaughtUp || isSeen || source.held === null)
    if (outcome.state === 'too_few') limit *= WIDER
    else if (outcome.state !== 'outdated') return outcome
    else if (source.held && !(await source.held.catchUp())) return null
    else isCaughtUp = true
  }
  return null
}

/** Finds the nearest chunks: scores candidates' rows until no other's upper bound reaches the k-th score. */
export async function nearestFrom(
  source: CandidateSource,
  query: NearestQuery,
  { readCandidates, countInScope }: { readCandidates: ReadCandidates; countInScope: () => Promise<number> },
): Promise<Nearest | null> {
  return await searchWith(source, query, async (candidateSet) => {
    const { candidates, restUpperBound, count } = candidateSet
    const read = await readCandidates(source, query, { candidateSet, candidates, narrowing: query })
    if (read.state !== 'read') return read
    const chunks = scoredRows(query, read.rows.values()).slice(0, query.limit)
    const last = chunks.length < query.limit ? 0 : (chunks.at(-1)?.score ?? 0)
    if (last < restUpperBound) return { state: 'too_few' }
    const isCounted = count !== null && read.changedItemIds.size === 0
    return {
      state: 'found',
      chunks,
      best: chunks[0]?.score,
      countCompared: isCounted ? async () => count : countInScope,
      isApproximate: source.path === 'approximate',
    }
  })
}

/** Rows with a score above 0, best first; ties by item and position. */
export function scoredRows(query: NearestQuery, rows: Iterable<ChunkRow>): NearestChunk[] {
  const score = createScore(query.vector)
  const scored: { row: ChunkRow; score: number }[] = []
  for (const row of rows) {
    const value = score(row)
    if (value > 0) scored.push({ row, score: value })
  }
  return scored
    .toSorted((a, b) => b.score - a.score || byKey(a.row.key, b.row.key))
    .map(({ row, score: value }) => toNearest(row, value))
}

function toNearest({ key, shown }: ChunkRow, score: number): NearestChunk {
  return { sourceItemId: key.itemId, position: key.position, score, ...shown }
}
