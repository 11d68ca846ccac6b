import { storableJson, storableText } from '../../kernel/text.ts'
import { z } from 'zod'
import {
  type Candidates,
  type HeldSnapshot,
  isChanging,
  type ItemScope,
  type Proposed,
  type Stage,
} from '../../vector-memory/index.ts'
import { byKey, type NearestQuery } from '../nearest-query.ts'
import type { ReadAhead } from '../read-ahead.ts'
import { fitsRowCache } from '../row-cache.ts'
import type { Candidate, Proposal, Proposer, RankCandidate } from './proposal.ts'

const Metadata = z.record(z.string(), z.unknown())

/**
 * Proposes by a snapshot of the organization's vectors in memory: every chunk whose upper bound reaches the
 * k-th lower bound.
 * @param itemIds the items that name the filter's entity; null: no entity in the filter
 */
export function createSnapshotProposer(
  held: HeldSnapshot,
  query: NearestQuery,
  { itemIds, readAhead }: { itemIds: readonly string[] | null; readAhead: ReadAhead },
): Proposer {
  const { vector, meaning, seenRevision } = query
  const scope = scopeOf(query, itemIds)

  /** Repeats until the snapshot does not change meanwhile. */
  const settled = async <Of extends Proposed>(
    ask: () => Promise<Candidates<Of> | null>,
  ): Promise<Candidates<Of> | null> => {
    for (let turn = 1; turn <= TURNS_MAX; turn++) {
      const proposed = await ask()
      if (proposed === null || !isChanging(proposed.stage)) return proposed
      if (!(await held.settle())) return null
    }
    return null
  }

  return {
    path: 'memory',
    knowsRemovedSources: false,
    cachesRows: fitsRowCache(held.snapshot) && query.entityIds === null,
    async propose(limit, exceptSourceIds) {
      const proposed = await settled(() => held.candidates(vector, limit, { ...scope, exceptSourceIds }))
      return proposed && proposalOf(proposed, proposed.keys, seenRevision)
    },
    async proposeForRank(limit, exceptSourceIds) {
      const proposed = await settled(() =>
        held.candidatesToRank(vector, limit, { ...scope, exceptSourceIds }, meaning),
      )
      return proposed && proposalOf(proposed, inOrder(proposed.keys), seenRevision)
    },
    confirm({ stage, revision }, standing) {
      if (standing.revision !== revision) held.followLater()
      else if (stage && standing.removedSourceIds.length === 0) stage.isConfirmed = true
    },
    catchUp: () => held.follow(),
    count: (exceptSourceIds) => held.count({ ...scope, exceptSourceIds }),
    keepWords({ stage }, candidate, words) {
      if (stage && candidate.row !== null) held.snapshot.keepWords(candidate.row, words, stage)
    },
    missedRows: () => readAhead.missedRows(held),
    missedWords: () => readAhead.missedWords(held),
  }
}

/** Rarely more than once: a snapshot reports when it is changing. */
const TURNS_MAX = 4

function proposalOf<Of extends Candidate>(
  { floor, stage }: { floor: number; stage: Stage },
  candidates: Of[],
  seenRevision: number | null,
): Proposal<Of> {
  const isCurrent = stage.isConfirmed && stage.revision === seenRevision
  return { candidates, floor, revision: stage.revision, isCurrent, stage }
}

function inOrder(candidates: readonly RankCandidate[]): RankCandidate[] {
  return candidates.filter(({ cosine }) => cosine > 0).toSorted((a, b) => b.cosine - a.cosine || byKey(a, b))
}

/** The filter in terms of a snapshot. */
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
