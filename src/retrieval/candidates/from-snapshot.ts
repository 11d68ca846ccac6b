import { z } from 'zod'
import { storableJson, storableText } from '../../kernel/text.ts'
import type { HeldSnapshot, ItemScope } from '../../vector-memory/index.ts'
import type { CandidateSource, NearestQuery } from '../nearest-query.ts'

const Metadata = z.record(z.string(), z.unknown())

/**
 * Candidates from a snapshot of the organization's vectors in memory: every chunk whose upper bound reaches the k-th lower
 * bound, or, for a ranking, the k chunks with the greatest quantized cosines.
 * @param options.itemIds the items that name the filter's entity; null: no entity in the filter
 */
export function createSnapshotSource(
  held: HeldSnapshot,
  query: NearestQuery,
  { itemIds, isRanked }: { itemIds: readonly string[] | null; isRanked: boolean },
): CandidateSource {
  const scope = scopeOf(query, itemIds)
  const ranked = isRanked ? { meaning: query.meaning } : null
  return {
    path: 'memory',
    held,
    findCandidates: (limit) => held.findCandidates(query.vector, limit, scope, ranked),
  }
}

function scopeOf(
  { providers, readable, filter }: NearestQuery,
  itemIds: readonly string[] | null,
): ItemScope {
  const { sourceKinds, authorName, connectorId, updatedAfter, updatedBefore, metadata } = filter
  return {
    providers,
    readable,
    sourceKinds,
    authorName: authorName === undefined ? undefined : storableText(authorName),
    sourceId: connectorId?.toLowerCase(),
    updatedFrom: updatedAfter === undefined ? undefined : Date.parse(updatedAfter),
    updatedBefore: updatedBefore === undefined ? undefined : Date.parse(updatedBefore),
    metadata: metadata && Metadata.parse(storableJson(metadata)),
    ...(itemIds === null ? {} : { itemIds }),
  }
}
