import { sql } from 'kysely'
import { z } from 'zod'
import { arrayOf } from '../../database/array-of.ts'
import type { Db } from '../../database/database.ts'
import type { TermWeights } from '../../inference/term-weights.ts'
import { runCooperatively } from '../../kernel/cooperative.ts'
import type { Candidate, HeldSnapshot } from '../../vector-memory/index.ts'
import { wheresOf } from '../scope-conditions.ts'
import { searchWith, scoredRows } from '../nearest.ts'
import {
  byKey,
  type ChunkRow,
  keyText,
  type Nearest,
  type NearestChunk,
  type NearestQuery,
  type CandidateSource,
} from '../nearest-query.ts'
import type { ReadCandidates } from '../read-candidates.ts'
import { type Rankable, relevanceOf } from './hybrid-order.ts'
import type { ReadWords } from './read-words.ts'
import { askedWords, type ChunkWords } from './words.ts'

export type RankedChunk = NearestChunk & Rank

interface Rank {
  relevance: number
  /** The quantized product of the meaning parts; null: the model has none. */
  meaning: number | null
  words: ChunkWords
}

export interface RankRequest {
  words: string
  /** The number of chunks to return. The query's own limit is the number of candidates to rank. */
  limit: number
}

type Ranked = Candidate & Rank

/** Ranks the nearest chunks by words and vectors, in memory, and reads only the rows of the best. */
export function createRankBy({
  db,
  terms,
  readCandidates,
  readWords,
  missedWords,
}: {
  db: Db
  terms: TermWeights
  readCandidates: ReadCandidates
  readWords: ReadWords
  missedWords: (held: HeldSnapshot) => void
}): (
  source: CandidateSource,
  query: NearestQuery,
  request: RankRequest & { countInScope: () => Promise<number> },
  signal?: AbortSignal,
) => Promise<Nearest<RankedChunk> | null> {
  return async (source, query, request, signal) => {
    const asked = askedWords(request.words, terms)
    const onMissing = (): void => void (source.held && missedWords(source.held))

    /** null: a candidate no longer exists. */
    const rank = async (candidates: readonly Candidate[], revision: number): Promise<Ranked[] | null> => {
      const { organizationId } = query
      const words = await readWords({ organizationId, revision }, candidates, { signal, onMissing })
      if (words === null) return null
      const rankable = words.flatMap((ofChunk, at): Rankable[] => {
        const candidate = candidates[at]
        return candidate ? [{ score: candidate.cosine, meaning: candidate.meaning, words: ofChunk }] : []
      })
      const relevances = await runCooperatively(relevanceOf(asked, rankable), signal)
      const order = [...candidates.keys()].toSorted((a, b) => (relevances[b] ?? 0) - (relevances[a] ?? 0))
      return order.slice(0, request.limit).flatMap((at): Ranked[] => {
        const [candidate, ofChunk] = [candidates[at], words[at]]
        return candidate && ofChunk ? [{ ...candidate, relevance: relevances[at] ?? 0, words: ofChunk }] : []
      })
    }

    return await searchWith(source, query, async (candidateSet, isFresh) => {
      const { count } = candidateSet
      const nearest = nearestFirst(candidateSet.candidates)
      // The database itself tests the whole filter.
      const matching = source.held === null ? nearest : await keepMatching(db, query, nearest)
      const candidates = matching.slice(0, query.limit)
      if (couldMissSome(candidates, query.limit, candidateSet.restUpperBound)) return { state: 'too_few' }
      const best = await rank(candidates, candidateSet.revision)
      if (best === null) return { state: 'outdated' }
      const wanted = new Map([...best, ...withinBounds(candidates)].map((chunk) => [keyText(chunk), chunk]))
      const read = await readCandidates(source, query, { candidateSet, candidates: [...wanted.values()] })
      if (read.state !== 'read') return read
      if (read.changedItemIds.size > 0 && !(isFresh && hasAll(read.rows, best))) return { state: 'outdated' }
      return {
        state: 'found',
        chunks: rankedRows(query, best, read.rows),
        best: scoredRows(query, read.rows.values())[0]?.score,
        countCompared: count === null ? request.countInScope : async () => count,
        isApproximate: source.path === 'approximate',
      }
    })
  }
}

/** Whether another chunk can be nearer than the last candidate. */
function couldMissSome(candidates: readonly Candidate[], limit: number, restUpperBound: number): boolean {
  const last = candidates.length < limit ? 0 : (candidates.at(-1)?.cosine ?? 0)
  return restUpperBound > 0 && last <= restUpperBound
}

function hasAll(rows: ReadonlyMap<string, ChunkRow>, chunks: readonly Candidate[]): boolean {
  return chunks.every((chunk) => rows.has(keyText(chunk)))
}

function nearestFirst(candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ cosine }) => cosine > 0).toSorted((a, b) => b.cosine - a.cosine || byKey(a, b))
}

/** The rows of the best chunks, most relevant first. Ties are ordered by similarity. */
function rankedRows(
  query: NearestQuery,
  best: readonly Ranked[],
  rows: ReadonlyMap<string, ChunkRow>,
): RankedChunk[] {
  const ranks = new Map(best.map((chunk) => [keyText(chunk), chunk]))
  const shown = best.flatMap((chunk) => rows.get(keyText(chunk)) ?? [])
  return scoredRows(query, shown)
    .flatMap((chunk) => {
      const of = ranks.get(keyText({ itemId: chunk.sourceItemId, position: chunk.position }))
      if (of === undefined) return []
      const { relevance, meaning, words } = of
      return Object.assign(chunk, { relevance, meaning, words })
    })
    .toSorted((a, b) => b.relevance - a.relevance)
}

/** Drops candidates whose upper bound is too low. The bounds are symmetric around the quantized cosine. */
function withinBounds(candidates: readonly Candidate[]): Candidate[] {
  const least = candidates.reduce(
    (most, { cosine, upperBound }) => Math.max(most, 2 * cosine - upperBound),
    0,
  )
  return candidates.filter(({ upperBound }) => upperBound >= least)
}

const Ids = z.array(z.object({ id: z.string() }))

/** Keeps candidates whose items match the filter's metadata. A snapshot has only its hashes. */
async function keepMatching(
  db: Db,
  { organizationId, filter }: NearestQuery,
  candidates: Candidate[],
): Promise<Candidate[]> {
  const { metadata } = filter
  if (!metadata || Object.keys(metadata).length === 0 || candidates.length === 0) return candidates
  const ids = new Set(candidates.map(({ itemId }) => itemId))
  const { rows } = await sql`
    select f.id from unnest(${arrayOf(ids)}::text::uuid[]) as g(id)
    cross join lateral (
      select f.id from source_items f
      where f.organization_id = ${organizationId} and f.id = g.id and ${sql.join(wheresOf({ metadata }), sql` and `)}
      limit 1
    ) f`.execute(db)
  const matching = new Set(Ids.parse(rows).map(({ id }) => id))
  return candidates.filter(({ itemId }) => matching.has(itemId))
}
