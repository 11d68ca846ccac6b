import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import type { Candidates, Proposed, VectorMemory } from '../vector-memory/index.ts'
import { type Asked, askedWords, findWords, type FoundWords } from './asked-words.ts'
import { findInMemory, findWithoutCopy, type SearchPath } from './find-in-memory.ts'
import {
  type Decided,
  decideHowNear,
  decideNearest,
  type NearChunk,
  type Nearest,
  type NearestChunk,
  type NearestQuery,
  type Since,
} from './find-nearest.ts'
import { bestOf, orderingByWordsToo, relevanceOf, scoringWords } from './hybrid-order.ts'
import { createKnownChunks, type KnownChunks } from './known-chunks.ts'
import { createKnownWords } from './known-words.ts'
import { areUnchanged, type ChunkKey, keyText } from './read-chunks.ts'

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

  /** @returns null where something changed meanwhile of what is found */
  async function decideBest(
    query: NearestQuery,
    proposed: Candidates,
    { asked, limit, signal, since }: Wanted & { since: Since | null },
  ): Promise<Decided<RankedChunk> | null> {
    const decided =
      since === null
        ? await known.howNear(query, proposed)
        : await decideHowNear(db, query, proposed.keys, since)
    const { nearest, revision, changedItemIds } = decided
    if (nearest.state !== 'found') return { ...decided, nearest }
    if (revision !== proposed.stage.revision && changedItemIds === null) return null
    const candidates = candidatesOf(nearest.chunks, proposed, changedItemIds ?? NONE)
    const of = { organizationId: query.organizationId, revision }
    const words = await knownWords(of, candidates, asked, signal)
    if (words === null) return null
    const scores = await inSlices(scoringWords(asked, words, terms), signal)
    const best = bestOf(nearest.chunks)
    const relevances = nearest.chunks.map((chunk, at) => relevanceOf(scores[at] ?? 0, chunk, best))
    const keys = placesOfGreatest(relevances, limit).flatMap((at) => candidates[at] ?? [])
    const ofKeys = { ...query, limit: Math.max(1, keys.length) }
    const shown =
      since === null
        ? await known.nearest(ofKeys, { ...proposed, keys: keys.filter(isProposed) })
        : await decideNearest(db, ofKeys, keys)
    if (shown.nearest.state !== 'found' || !(await isSameState(db, query, keys, [decided, shown])))
      return null
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
      memory &&
      (await findInMemory(db, memory, query, (proposed, since) =>
        decideBest(query, proposed, { ...wanted, since }),
      ))
    if (ranked) {
      onAnswered('memory')
      return ranked
    }
    const found = await findWithoutCopy(db, query, onAnswered)
    return found.state === 'found' ? { ...found, chunks: await rankAll(found.chunks, terms, wanted) } : found
  }
}

/** Whether nothing has changed of what was found from one statement to the next. */
async function isSameState(
  db: Db,
  { organizationId }: NearestQuery,
  keys: readonly ChunkKey[],
  [one, next]: readonly [Decided<unknown>, Decided<unknown>],
): Promise<boolean> {
  if (one.removedSourceIds.length !== next.removedSourceIds.length) return false
  return await areUnchanged(db, organizationId, keys, { from: one.revision, to: next.revision })
}

/** What of the proposed each chunk is, in their order; another one where its item has changed since that was proposed. */
function candidatesOf(
  chunks: readonly NearChunk[],
  { keys }: Candidates,
  changedItemIds: ReadonlySet<string>,
): (Proposed | ChunkKey)[] {
  const byKey = new Map(keys.map((key) => [keyText(key), key]))
  return chunks.map(({ sourceItemId: itemId, position }) => {
    const key = { itemId, position }
    return (changedItemIds.has(itemId) ? undefined : byKey.get(keyText(key))) ?? key
  })
}

function isProposed(key: Proposed | ChunkKey): key is Proposed {
  return 'version' in key
}

/** The places of the `limit` greatest values; of equal ones the first. */
function placesOfGreatest(values: readonly number[], limit: number): number[] {
  return [...values.keys()].toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b).slice(0, limit)
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

const NONE: ReadonlySet<string> = new Set()
const NO_WORDS: FoundWords = { counts: new Map(), length: 0 }

function* reading(asked: Asked, chunks: readonly NearestChunk[], terms: TermWeights): Pausable<FoundWords[]> {
  const words: FoundWords[] = []
  for (const { title, content } of chunks) {
    yield
    words.push(findWords(asked, terms.tokenize(`${title}\n${content}`)))
  }
  return words
}
