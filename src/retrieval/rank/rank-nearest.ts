import type { Db } from '../../database/database.ts'
import type { TermWeights } from '../../inference/term-weights.ts'
import { inSlices } from '../../kernel/slices.ts'
import { type ChunkWords, createCoarse } from '../../vector-memory/index.ts'
import { needsExceptions, ROUNDS_MAX, scoredRows, WIDER } from '../nearest.ts'
import {
  byKey,
  type ChunkRow,
  keyText,
  type Nearest,
  type NearestChunk,
  type NearestQuery,
} from '../nearest-query.ts'
import type { Proposal, Proposer, RankCandidate } from '../propose/proposal.ts'
import type { ReadCandidates } from '../rows.ts'
import { type Rankable, relevanceOf } from './hybrid-order.ts'
import { keepMatching } from './matching-items.ts'
import { askedWords, chunkWords, createReadWords } from './words.ts'

/** A found chunk in hybrid order. */
export type RankedChunk = NearestChunk & { relevance: number; meaning: number | null }

export interface RankRequest {
  /** The query's words. */
  words: string
  /** How many chunks are wanted; the query's own limit is how many candidates are ranked. */
  limit: number
}

/** While others write without a pause, the candidates of one proposal are ranked so often. */
const RANKINGS_MAX = 8

/**
 * Ranks the chunks nearest to a query by words and vectors together, by one proposer. The candidates, the `query.limit` chunks
 * with the greatest quantized cosines, are compared in memory; only the rows of the best are read, with all that changed since,
 * and where something did, the ranking is repeated with it.
 */
export function createRankBy({
  db,
  terms,
  readCandidates,
}: {
  db: Db
  terms: TermWeights
  readCandidates: ReadCandidates
}): (
  proposer: Proposer,
  query: NearestQuery,
  request: RankRequest & { countInScope: () => Promise<number> },
  signal?: AbortSignal,
) => Promise<Nearest<RankedChunk> | null> {
  const readWords = createReadWords({ db, terms })

  return async (proposer, query, request, signal) => {
    const asked = askedWords(request.words, terms)
    let { limit } = query
    let exceptSourceIds: readonly string[] = []
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      const proposal = await proposer.proposeForRank(limit, exceptSourceIds)
      if (proposal === null) return null
      const candidates = await keepMatching(db, query, proposal.candidates)
      const ranked = await rankProposed({ ...proposal, candidates })
      switch (ranked.state) {
        case 'found':
        case 'other_model':
        case 'nothing_stored':
          return ranked
        case 'outdated':
          if (!(await proposer.catchUp())) return null
          break
        case 'too few':
          limit *= WIDER
          break
        case 'removed':
          exceptSourceIds = ranked.sourceIds
      }
    }
    return null

    async function rankProposed(proposal: Proposal<RankCandidate>): Promise<Outcome> {
      const coarse = createCoarse(query.vector, query.meaning)
      let rows: ReadonlyMap<string, ChunkRow> = new Map()
      let changedItemIds: ReadonlySet<string> | null = null
      for (let ranking = 1; ranking <= RANKINGS_MAX; ranking++) {
        const candidates = candidatesNow(proposal, { rows, changedItemIds }, coarse)
        if ((candidates.length < query.limit ? 0 : (candidates.at(-1)?.cosine ?? 0)) < proposal.floor)
          return { state: 'too few' }
        const words = await readWords(proposer, query, { proposal, candidates })
        if (words === null) return { state: 'outdated' }
        const rankable = candidates.map((candidate, at) => toRankable(candidate, words[at]))
        const relevances = await inSlices(relevanceOf(asked, rankable), signal)
        const best = placesOfGreatest(relevances, request.limit).flatMap((at) => candidates[at] ?? [])
        const ranks = new Map(
          candidates.map((key, at) => [
            keyText(key),
            { relevance: relevances[at] ?? 0, meaning: key.meaning },
          ]),
        )
        const missing = [...new Set([...best, ...mayBeNearest(candidates)])].filter(
          (key) => !rows.has(keyText(key)),
        )
        if (changedItemIds && missing.length === 0) return foundOf(rows, { best, ranks, changedItemIds })
        const read = await readCandidates(proposer, query, { proposal, candidates: missing })
        if (read.state !== 'read') return read
        if (needsExceptions(proposer, exceptSourceIds, read.removedSourceIds))
          return { state: 'removed', sourceIds: read.removedSourceIds }
        const isRanked = isSubset(read.changedItemIds, changedItemIds ?? NONE)
        rows = new Map(
          [...rows].filter(([, row]) => !read.changedItemIds.has(row.key.itemId)).concat([...read.rows]),
        )
        changedItemIds = read.changedItemIds
        if (isRanked) return foundOf(rows, { best, ranks, changedItemIds })
      }
      return { state: 'outdated' }
    }

    /** The nearest of what was proposed and has not changed, and of what has. */
    function candidatesNow(
      proposal: Proposal<RankCandidate>,
      {
        rows,
        changedItemIds,
      }: { rows: ReadonlyMap<string, ChunkRow>; changedItemIds: ReadonlySet<string> | null },
      coarse: ReturnType<typeof createCoarse>,
    ): RankCandidate[] {
      if (changedItemIds === null || changedItemIds.size === 0)
        return proposal.candidates.slice(0, query.limit)
      const changed = [...rows.values()].filter(({ key }) => changedItemIds.has(key.itemId))
      return proposal.candidates
        .filter(({ itemId }) => !changedItemIds.has(itemId))
        .concat(changed.flatMap((row) => freshCandidate(row, coarse, terms)))
        .toSorted((a, b) => b.cosine - a.cosine || byKey(a, b))
        .slice(0, query.limit)
    }

    function foundOf(
      rows: ReadonlyMap<string, ChunkRow>,
      {
        best,
        ranks,
        changedItemIds,
      }: {
        best: readonly RankCandidate[]
        ranks: ReadonlyMap<string, { relevance: number; meaning: number | null }>
        changedItemIds: ReadonlySet<string>
      },
    ): Outcome {
      const count = changedItemIds.size === 0 ? proposer.count(exceptSourceIds) : null
      const shown = best.flatMap((candidate) => rows.get(keyText(candidate)) ?? [])
      const chunks = scoredRows(query, shown).flatMap((chunk) => {
        const rank = ranks.get(keyText({ itemId: chunk.sourceItemId, position: chunk.position }))
        return rank ? [{ ...chunk, ...rank }] : []
      })
      return {
        state: 'found',
        // Of equal relevance the nearer one comes first.
        chunks: chunks.toSorted((a, b) => b.relevance - a.relevance),
        best: scoredRows(query, rows.values())[0]?.score,
        countCompared: count === null ? request.countInScope : async () => count,
        isApproximate: proposer.path === 'approximate',
      }
    }
  }
}

type Outcome =
  | Nearest<RankedChunk>
  | { state: 'outdated' }
  /** Chunks that were not proposed may belong to the candidates. */
  | { state: 'too few' }
  /** These sources are being removed. */
  | { state: 'removed'; sourceIds: readonly string[] }

/** A chunk of an item that changed, as a candidate. */
function freshCandidate(
  { key, values, shown }: ChunkRow,
  coarse: ReturnType<typeof createCoarse>,
  terms: TermWeights,
): RankCandidate[] {
  const near = coarse(values)
  if (near.cosine <= 0) return []
  return [{ ...key, ...near, version: null, row: null, words: chunkWords(shown, terms) }]
}

function toRankable({ cosine, meaning }: RankCandidate, words: ChunkWords | undefined): Rankable {
  const { hashes, titleWords } = words ?? NO_WORDS
  return { score: cosine, meaning, words: hashes, titleWords }
}

const NONE: ReadonlySet<string> = new Set()
const NO_WORDS: ChunkWords = { hashes: new Uint32Array(0), titleWords: 0 }

/** Those of which one has the greatest exact score. */
function mayBeNearest(candidates: readonly RankCandidate[]): RankCandidate[] {
  const least = candidates.reduce((most, { cosine, atMost }) => Math.max(most, 2 * cosine - atMost), 0)
  return candidates.filter(({ atMost }) => atMost >= least)
}

function isSubset(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return some.size <= all.size && some.isSubsetOf(all)
}

/** The places of the `limit` greatest values; of equal ones the first. */
function placesOfGreatest(values: Float64Array, limit: number): number[] {
  return [...values.keys()].toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b).slice(0, limit)
}
