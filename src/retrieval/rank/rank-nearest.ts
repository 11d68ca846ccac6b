import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../database/database.ts'
import type { TermWeights } from '../../inference/term-weights.ts'
import { inSlices } from '../../kernel/slices.ts'
import {
  type Candidate,
  type ChunkWords,
  createCoarse,
  type HeldSnapshot,
  type Proposal,
} from '../../vector-memory/index.ts'
import { conditionsOf } from '../filter-conditions.ts'
import { answerBy, scoredRows } from '../nearest.ts'
import {
  byKey,
  type ChunkRow,
  keyText,
  type Nearest,
  type NearestChunk,
  type NearestQuery,
  type Outcome,
  type Proposer,
} from '../nearest-query.ts'
import type { ReadCandidates } from '../rows.ts'
import { relevanceOf } from './hybrid-order.ts'
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
  terms: TermWeights
  readCandidates: ReadCandidates
  readWords: ReadWords
  proposer: Proposer
  query: NearestQuery
  request: RankRequest & { countInScope: () => Promise<number> }
  signal: AbortSignal | undefined
}

/** Rows read so far, and items changed since the proposal; null: nothing read yet. */
interface Known {
  rows: ReadonlyMap<string, ChunkRow>
  changedItemIds: ReadonlySet<string> | null
}

interface Ranking {
  best: readonly Candidate[]
  /** Candidates that include the one with the greatest score. */
  nearest: readonly Candidate[]
  /** Ranks of the best, by key. */
  ranks: ReadonlyMap<string, { rank: Rank; words: ChunkWords }>
}

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
  missedWords: (held: HeldSnapshot) => void
}): (
  proposer: Proposer,
  query: NearestQuery,
  request: RankRequest & { countInScope: () => Promise<number> },
  signal?: AbortSignal,
) => Promise<Nearest<RankedChunk> | null> {
  const readWords = createReadWords(deps)
  return async (proposer, query, request, signal) => {
    const search: Search = { ...deps, readWords, proposer, query, request, signal }
    return await answerBy(proposer, query, async (proposal) => {
      const candidates = await keepMatching(deps.db, query, nearestFirst(proposal.candidates))
      return await rankProposed(search, { ...proposal, candidates })
    })
  }
}

function nearestFirst(candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ cosine }) => cosine > 0).toSorted((a, b) => b.cosine - a.cosine || byKey(a, b))
}

async function rankProposed(search: Search, proposal: Proposal): Promise<Outcome<RankedChunk>> {
  const { query } = search
  let known: Known = { rows: new Map(), changedItemIds: null }
  for (let turn = 1; turn <= RANKINGS_MAX; turn++) {
    const candidates = candidatesNow(search, proposal, known)
    const last = candidates.length < query.limit ? 0 : (candidates.at(-1)?.cosine ?? 0)
    if (proposal.floor > 0 && last <= proposal.floor) return { state: 'too_few' }
    const ranking = await rank(search, proposal, candidates)
    if (ranking === null) return { state: 'outdated' }
    const read = await readRanked(search, proposal, ranking, known)
    if (read.state !== 'read') return read
    if (read.isRanked) return foundOf(search, proposal, read.known, ranking)
    known = read.known
  }
  return { state: 'outdated' }
}

/** Reads the rows of a ranking that are not known; it stands if nothing changed that it did not rank. */
async function readRanked(
  { proposer, query, readCandidates }: Search,
  proposal: Proposal,
  { best, nearest }: Ranking,
  known: Known,
): Promise<{ state: 'read'; known: Known; isRanked: boolean } | Exclude<Outcome, { state: 'found' }>> {
  const candidates = [...new Set([...best, ...nearest])].filter((key) => !known.rows.has(keyText(key)))
  if (known.changedItemIds && candidates.length === 0) return { state: 'read', known, isRanked: true }
  const read = await readCandidates(proposer, query, { proposal, candidates })
  if (read.state !== 'read') return read
  const { changedItemIds } = read
  const unchanged = [...known.rows].filter(([, { key }]) => !changedItemIds.has(key.itemId))
  return {
    state: 'read',
    known: { rows: new Map([...unchanged, ...read.rows]), changedItemIds },
    isRanked: changedItemIds.isSubsetOf(known.changedItemIds ?? new Set()),
  }
}

/** The nearest among unchanged candidates and changed chunks. */
function candidatesNow(
  { query, terms }: Search,
  proposal: Proposal,
  { rows, changedItemIds }: Known,
): Candidate[] {
  if (changedItemIds === null || changedItemIds.size === 0) return proposal.candidates.slice(0, query.limit)
  const coarse = createCoarse(query.vector, query.meaning)
  const changed: Candidate[] = []
  for (const { key, values, shown } of rows.values())
    if (changedItemIds.has(key.itemId))
      changed.push({ ...key, ...coarse(values), version: null, row: null, words: chunkWords(shown, terms) })
  const unchanged = proposal.candidates.filter(({ itemId }) => !changedItemIds.has(itemId))
  return nearestFirst([...unchanged, ...changed]).slice(0, query.limit)
}

/** @returns null if a candidate no longer exists */
async function rank(
  { proposer, query, request, terms, readWords, signal }: Search,
  { revision }: Proposal,
  candidates: readonly Candidate[],
): Promise<Ranking | null> {
  const words = await readWords(proposer, query, candidates, revision)
  if (words === null) return null
  const rankable = candidates.map(({ cosine, meaning }, at) => {
    return { score: cosine, meaning, words: words[at] ?? NO_WORDS }
  })
  const relevances = await inSlices(relevanceOf(askedWords(request.words, terms), rankable), signal)
  const best: Candidate[] = []
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
  { proposer, query, request }: Search,
  { count }: Proposal,
  { rows, changedItemIds }: Known,
  { best, ranks }: Ranking,
): Nearest<RankedChunk> {
  const isCounted = count !== null && changedItemIds?.size === 0
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
    countCompared: isCounted ? async () => count : request.countInScope,
    isApproximate: proposer.path === 'approximate',
  }
}

const NO_WORDS: ChunkWords = { numbers: new Uint32Array(0), from: 0, to: 0, titleWords: 0 }

/** A candidate's lower bound is as far below its quantized cosine as its upper bound is above. */
function mayBeNearest(candidates: readonly Candidate[]): Candidate[] {
  const least = candidates.reduce((most, { cosine, atMost }) => Math.max(most, 2 * cosine - atMost), 0)
  return candidates.filter(({ atMost }) => atMost >= least)
}

/** Indexes of the `limit` greatest values; ties in order. */
function placesOfGreatest(values: Float64Array, limit: number): number[] {
  return [...values.keys()].toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b).slice(0, limit)
}

const Ids = z.array(z.object({ id: z.string() }))

/**
 * The candidates whose items match the filter's metadata. A snapshot has only hashes of metadata, so it may
 * propose others; it decides every other condition itself.
 */
async function keepMatching(
  db: Db,
  { organizationId, filter }: NearestQuery,
  candidates: Candidate[],
): Promise<Candidate[]> {
  const { metadata } = filter
  if (!metadata || Object.keys(metadata).length === 0 || candidates.length === 0) return candidates
  const ids = [...new Set(candidates.map(({ itemId }) => itemId))]
  const { rows } = await sql`
    select f.id from unnest(${`{${ids.join(',')}}`}::text::uuid[]) as g(id)
    cross join lateral (
      select f.id from source_items f
      where f.organization_id = ${organizationId} and f.id = g.id and ${sql.join(conditionsOf({ metadata }), sql` and `)}
      limit 1
    ) f`.execute(db)
  const matching = new Set(Ids.parse(rows).map(({ id }) => id))
  return candidates.filter(({ itemId }) => matching.has(itemId))
}
