import type { HeldSnapshot } from '../../vector-memory/index.ts'
import type { CandidateSource, NearestQuery } from '../nearest-query.ts'

/**
 * Candidates from a snapshot of the organization's vectors in memory: every chunk whose upper bound reaches the k-th lower
 * bound, or, for a ranking, the k chunks with the greatest quantized cosines.
 * @param options.itemIds the items that name the filter's entity; null: no entity in the filter
 */
export function createSnapshotSource(
  held: HeldSnapshot,
  { vector, meaning, providers, readable, filter }: NearestQuery,
  { itemIds, isRanked }: { itemIds: readonly string[] | null; isRanked: boolean },
): CandidateSource {
  const scope = { providers, readable, filter, itemIds }
  const ranked = isRanked ? { meaning } : null
  return {
    path: 'memory',
    held,
    findCandidates: (limit) => held.findCandidates(vector, limit, scope, ranked),
  }
}
