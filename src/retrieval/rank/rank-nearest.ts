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
import { askedWords, chunkWords, createReadWords, type ReadWords } from './words.ts'

export type RankedChunk = NearestChunk & Rank

interface Rank {
  relevance: number
  /** Quantized product of the meaning parts; null: the model has none. */
  meaning: number | null
}

export interface RankRequest {
  words: string
  /** Chunks to return; the query's own limit is the number of candidates to rank. */
  limit: number
}

interface Search {
  db: Db
  terms: TermWeights
  readCandidates: ReadCandidates
  readWords: ReadWords
  proposer: Proposer
  query: NearestQuery
  request: RankRequest & { countInScope: () => Promise<number> }
  signal: AbortSignal | undefined
  exceptSourceIds: readonly string[]
}

/** Rows read so far, and items changed since the proposal; null: nothing read yet. */
interface Known {
  rows: ReadonlyMap<string, ChunkRow>
  changedItemIds: ReadonlySet<string> | null
}

interface Ranking {
  best: readonly RankCandidate[]
  /** Candidates that include the one with the greatest score. */
  nearest: readonly RankCandidate[]
  /** Ranks of the best, by key. */
  ranks: ReadonlyMap<string, { rank: Rank; words: ChunkWords }>
}

type Outcome =
  | Nearest<RankedChunk>
  | { state: 'outdated' }
  /** Chunks that were not proposed may belong to the candidates. */
  | { state: 'too few' }
  /** These sources are being removed. */
  | { state: 'removed'; sourceIds: readonly string[] }

/** Rankings per proposal under constant writes. */
const RANKINGS_MAX = 8

/**
 * Ranks the chunks nearest to a query by words and vectors together, with one proposer. The candidates, the
 * `query.limit` chunks with the greatest quantized cosines, are compared in memory. Only the rows of the best
 * are read, together with all changes since; if anything changed, the ranking repeats with it.
 */
export function createRankBy(deps: {
  db: Db
  terms: TermWeights
  readCandidates: ReadCandidates
}): (
  proposer: Proposer,
  query: NearestQuery,
  request: RankRequest & { countInScope: () => Promise<number> },
  signal?: AbortSignal,
) => Promise<Nearest<RankedChunk> | null> {
  const readWords = createReadWords(deps)
  return async (proposer, query, request, signal) => {
    const search: Search = { ...deps, readWords, proposer, query, request, signal, exceptSourceIds: [] }
    let { limit } = query
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      const proposal = await proposer.proposeForRank(limit, search.exceptSourceIds)
      if (proposal === null) return null
      const candidates = await keepMatching(deps.db, query, proposal.candidates)
      const ranked = await rankProposed(search, { ...proposal, candidates })
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
          search.exceptSourceIds = ranked.sourceIds
      }
    }
    return null
  }
}

async function rankProposed(search: Search, proposal: Proposal<RankCandidate>): Promise<Outcome> {
  const { proposer, query, readCandidates, exceptSourceIds } = search
  let known: Known = { rows: new Map(), changedItemIds: null }
  for (let turn = 1; turn <= RANKINGS_MAX; turn++) {
    const candidates = candidatesNow(search, proposal, known)
    const last = candidates.length < query.limit ? 0 : (candidates.at(-1)?.cosine ?? 0)
    if (proposal.floor > 0 && last <= proposal.floor) return { state: 'too few' }
    const ranking = await rank(search, proposal, candidates)
    if (ranking === null) return { state: 'outdated' }
    const wanted = new Set([...ranking.best, ...ranking.nearest])
    const missing = [...wanted].filter((key) => !known.rows.has(keyText(key)))
    if (known.changedItemIds && missing.length === 0) return foundOf(search, known, ranking)
    const read = await readCandidates(proposer, query, { proposal, candidates: missing })
    if (read.state !== 'read') return read
    if (needsExceptions(proposer, exceptSourceIds, read.removedSourceIds))
      return { state: 'removed', sourceIds: read.removedSourceIds }
    const isRanked = read.changedItemIds.isSubsetOf(known.changedItemIds ?? NONE)
    const unchanged = [...known.rows].filter(([, { key }]) => !read.changedItemIds.has(key.itemId))
    known = { rows: new Map([...unchanged, ...read.rows]), changedItemIds: read.changedItemIds }
    if (isRanked) return foundOf(search, known, ranking)
  }
  return { state: 'outdated' }
}

/** The nearest among unchanged candidates and changed chunks. */
function candidatesNow(
  { query, terms }: Search,
  proposal: Proposal<RankCandidate>,
  { rows, changedItemIds }: Known,
): RankCandidate[] {
  if (changedItemIds === null || changedItemIds.size === 0) return proposal.candidates.slice(0, query.limit)
  const coarse = createCoarse(query.vector, query.meaning)
  const changed: RankCandidate[] = []
  for (const { key, values, shown } of rows.values()) {
    if (!changedItemIds.has(key.itemId)) continue
    const near = coarse(values)
    if (near.cosine > 0)
      changed.push({ ...key, ...near, version: null, row: null, words: chunkWords(shown, terms) })
  }
  return proposal.candidates
    .filter(({ itemId }) => !changedItemIds.has(itemId))
    .concat(changed)
    .toSorted((a, b) => b.cosine - a.cosine || byKey(a, b))
    .slice(0, query.limit)
}

/** @returns null if a candidate no longer exists */
async function rank(
  { proposer, query, request, terms, readWords, signal }: Search,
  proposal: Proposal<RankCandidate>,
  candidates: readonly RankCandidate[],
): Promise<Ranking | null> {
  const words = await readWords(proposer, query, { proposal, candidates })
  if (words === null) return null
  const rankable = candidates.map((candidate, at) => toRankable(candidate, words[at] ?? NO_WORDS))
  const relevances = await inSlices(relevanceOf(askedWords(request.words, terms), rankable), signal)
  const best: RankCandidate[] = []
  const ranks = new Map<string, { rank: Rank; words: ChunkWords }>()
  for (const at of placesOfGreatest(relevances, request.limit)) {
    const candidate = candidates[at]
    if (candidate === undefined) continue
    best.push(candidate)
    const rankOf = { relevance: relevances[at] ?? 0, meaning: candidate.meaning }
    ranks.set(keyText(candidate), { rank: rankOf, words: words[at] ?? NO_WORDS })
  }
  return { best, nearest: mayBeNearest(candidates), ranks }
}

function foundOf(
  { proposer, query, request, exceptSourceIds }: Search,
  { rows, changedItemIds }: Known,
  { best, ranks }: Ranking,
): Nearest<RankedChunk> {
  const count = changedItemIds?.size === 0 ? proposer.count(exceptSourceIds) : null
  const shown = best.flatMap((candidate) => rows.get(keyText(candidate)) ?? [])
  const words = new Map<object, ChunkWords>()
  const chunks = scoredRows(query, shown).flatMap((chunk) => {
    const of = ranks.get(keyText({ itemId: chunk.sourceItemId, position: chunk.position }))
    if (of === undefined) return []
    const ranked = Object.assign(chunk, of.rank)
    words.set(ranked, of.words)
    return [ranked]
  })
  return {
    state: 'found',
    // Ties in relevance keep the nearer one first.
    chunks: chunks.toSorted((a, b) => b.relevance - a.relevance),
    words,
    best: scoredRows(query, rows.values())[0]?.score,
    countCompared: count === null ? request.countInScope : async () => count,
    isApproximate: proposer.path === 'approximate',
  }
}

const NONE: ReadonlySet<string> = new Set()
const NO_WORDS: ChunkWords = { numbers: new Uint32Array(0), from: 0, to: 0, titleWords: 0 }

function toRankable({ cosine, meaning }: RankCandidate, words: ChunkWords): Rankable {
  return { score: cosine, meaning, words }
}

/** A candidate's lower bound is as far below its quantized cosine as its upper bound is above. */
function mayBeNearest(candidates: readonly RankCandidate[]): RankCandidate[] {
  const least = candidates.reduce((most, { cosine, atMost }) => Math.max(most, 2 * cosine - atMost), 0)
  return candidates.filter(({ atMost }) => atMost >= least)
}

/** Indexes of the `limit` greatest values; ties in order. */
function placesOfGreatest(values: Float64Array, limit: number): number[] {
  return [...values.keys()].toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b).slice(0, limit)
}
