import { type ChunkRow, byKey, type Nearest, type NearestChunk, type NearestQuery } from './nearest-query.ts'
import type { Proposer } from './propose/proposal.ts'
import type { ReadCandidates } from './rows.ts'
import { createScore } from './score.ts'

/** Proposals to try under constant writes or when candidates disappear. */
export const ROUNDS_MAX = 5
/** Factor by which a proposal grows when its candidates are not enough. */
export const WIDER = 4

/**
 * Finds the nearest chunks with one proposer: proposes candidates, gets their rows from the cache or the
 * database, scores them, and stops when no other chunk's upper bound reaches the k-th score.
 * @returns null if this proposer cannot answer
 */
export async function nearestBy(
  proposer: Proposer,
  query: NearestQuery,
  { readCandidates, countInScope }: { readCandidates: ReadCandidates; countInScope: () => Promise<number> },
): Promise<Nearest | null> {
  let { limit } = query
  let exceptSourceIds: readonly string[] = []
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const proposal = await proposer.propose(limit, exceptSourceIds)
    if (proposal === null) return null
    const read = await readCandidates(proposer, query, {
      proposal,
      candidates: proposal.candidates,
      nearest: query.limit,
    })
    if (read.state === 'other_model' || read.state === 'nothing_stored') return read
    if (read.state === 'outdated') {
      if (!(await proposer.catchUp())) return null
      continue
    }
    const scored = scoredRows(query, read.rows.values())
    const chunks = scored.slice(0, query.limit)
    const last = chunks.length < query.limit ? 0 : (chunks.at(-1)?.score ?? 0)
    const isWhole = last >= proposal.floor
    if (needsExceptions(proposer, exceptSourceIds, read.removedSourceIds))
      exceptSourceIds = read.removedSourceIds
    else if (isWhole) {
      const isUnchanged = read.changedItemIds.size === 0
      const count = isUnchanged ? proposer.count(exceptSourceIds) : null
      return {
        state: 'found',
        chunks,
        best: chunks[0]?.score,
        countCompared: count === null ? countInScope : async () => count,
        isApproximate: proposer.path === 'approximate',
      }
    } else limit *= WIDER
  }
  return null
}

/** Whether a snapshot, which does not know of removed sources, must exclude others than it did. */
export function needsExceptions(
  { knowsRemovedSources }: Proposer,
  exceptSourceIds: readonly string[],
  removedSourceIds: readonly string[],
): boolean {
  return !knowsRemovedSources && removedSourceIds.some((id) => !exceptSourceIds.includes(id))
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
