import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import type { Candidates, VectorMemory } from '../vector-memory/index.ts'
import { type Asked, askedWords, findWords, type FoundWords } from './asked-words.ts'
import { findInMemory, findWithoutCopy, type SearchPath } from './find-in-memory.ts'
import {
  type Decided,
  decideNearest,
  type Nearest,
  type NearestChunk,
  type NearestQuery,
} from './find-nearest.ts'
import { bestOf, orderingByWordsToo, relevanceOf, scoringWords } from './hybrid-order.ts'
import { createKnownWords } from './known-words.ts'
import { type BoundedChunk, createNarrowNearest } from './narrow-nearest.ts'
import { tellGreatest } from './near-bounds.ts'
import { keyText } from './read-chunks.ts'

/** A found chunk in the order by words too. */
export type RankedChunk = NearestChunk & { relevance: number }

/**
 * The best of the chunks nearest to a query, in the order by words too.
 * @param query its limit is how many of the nearest are ordered
 * @param asked the query's words, and how many chunks are wanted
 * @throws the reason of `signal`
 */
export type RankNearest = (
  query: NearestQuery,
  asked: { words: string; limit: number },
  signal?: AbortSignal,
) => Promise<Nearest<RankedChunk>>

/** What is asked for beside the nearest. */
interface Wanted {
  asked: Asked
  limit: number
  signal?: AbortSignal | undefined
}

/**
 * Ranks by words and vectors that are kept from one search to the next, where the copy in memory proposes: which chunks may be the
 * best is told by bounds, and of these few the database has the last word. Where it has to find them alone, it hands out the texts
 * of all.
 */
export function createRankNearest({
  db,
  terms,
  memory,
  onAnswered = () => {},
}: {
  db: Db
  terms: TermWeights
  memory?: VectorMemory
  onAnswered?: (path: SearchPath) => void
}): RankNearest {
  const knownWords = createKnownWords({ db, terms })
  const narrowNearest = createNarrowNearest(db)

  /** @returns null where something changed meanwhile */
  async function decideBest(
    query: NearestQuery,
    proposed: Candidates,
    { asked, limit, signal }: Wanted,
  ): Promise<Decided<RankedChunk> | null> {
    const { chunks, decided } = await narrowNearest(query, proposed, signal)
    const { nearest, revision } = decided
    if (nearest.state !== 'found') return { ...decided, nearest }
    if (revision !== proposed.revision) return { ...decided, nearest: { ...nearest, chunks: [] } }
    const candidates = chunks.map(({ candidate }) => candidate)
    const words = await knownWords(query.organizationId, candidates, asked, signal)
    if (words === null) return null
    const scores = await inSlices(scoringWords(asked, words, terms), signal)
    const best = await showBest(db, query, chunks, { scores, limit, decided })
    return best && { ...decided, nearest: { ...nearest, chunks: best } }
  }

  return async (query, { words, limit }, signal) => {
    const wanted = { asked: askedWords(words, terms), limit, signal }
    const ranked =
      memory && (await findInMemory(db, memory, query, (proposed) => decideBest(query, proposed, wanted)))
    if (ranked) {
      onAnswered('memory')
      return ranked
    }
    const found = await findWithoutCopy(db, query, onAnswered)
    return found.state === 'found' ? { ...found, chunks: await rankAll(found.chunks, terms, wanted) } : found
  }
}

/**
 * The best of the nearest chunks, with what is shown of them; null where they, or others, are not any more what they were.
 * @param scores of the chunks' words
 */
async function showBest(
  db: Db,
  query: NearestQuery,
  chunks: readonly BoundedChunk[],
  { scores, limit, decided }: { scores: readonly number[]; limit: number; decided: Decided<unknown> },
): Promise<RankedChunk[] | null> {
  // The best of them are known exactly.
  const best = bestOf(chunks.map(({ bounds }) => bounds.low))
  const relevances = chunks.map(({ bounds: { low, high } }, at) => {
    const score = scores[at] ?? 0
    return { low: relevanceOf(score, low, best), high: relevanceOf(score, high, best) }
  })
  const words = new Map<string, number>()
  const keys = tellGreatest(relevances, limit).flatMap((at) => {
    const key = chunks[at]?.candidate
    if (key === undefined) return []
    words.set(keyText(key), scores[at] ?? 0)
    return [key]
  })
  if (keys.length === 0) return []
  const shown = await decideNearest(db, { ...query, limit: keys.length }, keys)
  const isSame =
    shown.revision === decided.revision && shown.removedSourceIds.length === decided.removedSourceIds.length
  if (shown.nearest.state !== 'found' || !isSame || shown.nearest.chunks.length < keys.length) return null
  const ranked: RankedChunk[] = []
  for (const chunk of shown.nearest.chunks) {
    const score = words.get(keyText({ itemId: chunk.sourceItemId, position: chunk.position })) ?? 0
    ranked.push({ ...chunk, relevance: relevanceOf(score, chunk, best) })
  }
  return ranked.toSorted((a, b) => b.relevance - a.relevance).slice(0, limit)
}

/** The best of all the chunks that were found, by their texts. */
async function rankAll(
  chunks: readonly NearestChunk[],
  terms: TermWeights,
  { asked, limit, signal }: Wanted,
): Promise<RankedChunk[]> {
  const words = await inSlices(reading(asked, chunks, terms), signal)
  const rankable = chunks.map((chunk, at) => ({ ...chunk, words: words[at] ?? NO_WORDS }))
  const ordered = await inSlices(orderingByWordsToo(asked, rankable, terms), signal)
  return ordered.slice(0, limit).flatMap(({ at, relevance }) => {
    const chunk = chunks[at]
    return chunk === undefined ? [] : [{ ...chunk, relevance }]
  })
}

const NO_WORDS: FoundWords = { counts: new Map(), length: 0 }

function* reading(asked: Asked, chunks: readonly NearestChunk[], terms: TermWeights): Pausable<FoundWords[]> {
  const words: FoundWords[] = []
  for (const { title, content } of chunks) {
    yield
    words.push(findWords(asked, terms.tokenize(`${title}\n${content}`)))
  }
  return words
}
