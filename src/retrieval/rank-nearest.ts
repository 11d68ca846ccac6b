import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import type { Candidates, Proposed, VectorMemory } from '../vector-memory/index.ts'
import { type Asked, askedWords, findWords, type FoundWords } from './asked-words.ts'
import { findInMemory, findWithoutCopy, type SearchPath } from './find-in-memory.ts'
import type { Decided, NearChunk, Nearest, NearestChunk, NearestQuery } from './find-nearest.ts'
import { bestOf, orderingByWordsToo, relevanceOf, scoringWords } from './hybrid-order.ts'
import { createKnownChunks, type KnownChunks } from './known-chunks.ts'
import { createKnownWords } from './known-words.ts'
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
 * Ranks by words and vectors that are kept from one search to the next, where the copy in memory proposes. Where the database has to
 * find the nearest alone, it hands out the texts of all.
 */
export function createRankNearest({
  db,
  terms,
  memory,
  known = createKnownChunks({ db }),
  onAnswered = () => {},
}: {
  db: Db
  terms: TermWeights
  memory?: VectorMemory
  known?: KnownChunks
  onAnswered?: (path: SearchPath) => void
}): RankNearest {
  const knownWords = createKnownWords({ db, terms })

  /** @returns null where something changed meanwhile */
  async function decideBest(
    query: NearestQuery,
    proposed: Candidates,
    { asked, limit, signal }: Wanted,
  ): Promise<Decided<RankedChunk> | null> {
    const decided = await known.howNear(query, proposed)
    const { nearest, revision } = decided
    if (nearest.state !== 'found') return { ...decided, nearest }
    if (revision !== proposed.stage.revision) return null
    const candidates = candidatesOf(nearest.chunks, proposed)
    const of = { organizationId: query.organizationId, revision }
    const words = await knownWords(of, candidates, asked, signal)
    if (words === null) return null
    const scores = await inSlices(scoringWords(asked, words, terms), signal)
    const best = bestOf(nearest.chunks)
    const relevances = nearest.chunks.map((chunk, at) => relevanceOf(scores[at] ?? 0, chunk, best))
    const keys = greatest(relevances, limit).flatMap((at) => candidates[at] ?? [])
    const shown = await known.nearest({ ...query, limit: Math.max(1, keys.length) }, { ...proposed, keys })
    if (shown.nearest.state !== 'found' || !isSameState(shown, decided)) return null
    const relevanceAt = new Map(candidates.map((key, at) => [keyText(key), relevances[at] ?? 0]))
    const ranked = shown.nearest.chunks.map((chunk) =>
      Object.assign(chunk, {
        relevance: relevanceAt.get(keyText({ itemId: chunk.sourceItemId, position: chunk.position })) ?? 0,
      }),
    )
    if (ranked.length < keys.length) return null
    return {
      ...decided,
      nearest: { ...nearest, chunks: ranked.toSorted((a, b) => b.relevance - a.relevance) },
    }
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

/** What of the proposed each chunk is, in their order. */
function candidatesOf(chunks: readonly NearChunk[], { keys }: Candidates): Proposed[] {
  const byKey = new Map(keys.map((key) => [keyText(key), key]))
  return chunks.flatMap(
    ({ sourceItemId: itemId, position }) => byKey.get(keyText({ itemId, position })) ?? [],
  )
}

/** The places of the `limit` greatest values; of equal ones the first. */
function greatest(values: readonly number[], limit: number): number[] {
  return [...values.keys()].toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b).slice(0, limit)
}

function isSameState(one: Decided<unknown>, other: Decided<unknown>): boolean {
  return one.revision === other.revision && one.removedSourceIds.length === other.removedSourceIds.length
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
