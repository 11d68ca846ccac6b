import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import type { Candidate, VectorMemory } from '../vector-memory/index.ts'
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
  readTexts,
} from './find-nearest.ts'
import { orderingByWordsToo } from './hybrid-order.ts'
import { KeptWords } from './kept-words.ts'

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

/** Where what was found changes before it is shown it is looked for anew so often; then the database answers in one statement. */
const ATTEMPTS_MAX = 3

/** How near a chunk is, and a name for its words. */
type NamedChunk = NearChunk & { name: string }
type Ranked<Chunk> = Chunk & { relevance: number }

/**
 * Ranks by words that are kept from one search to the next, where the copy in memory proposes: then the database says how near
 * the candidates are, and has the last word on the few that are shown. Where it has to find them alone, it hands out their texts too.
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
  const wordsOf = createWordsOf({ db, terms })

  async function rankInMemory(
    query: NearestQuery,
    { asked, limit, memory: held }: { asked: Asked; limit: number; memory: VectorMemory },
    signal?: AbortSignal,
  ): Promise<Nearest<RankedChunk> | null> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const found = await findInMemory(db, held, query, decideNamed)
      if (found?.state !== 'found') return found
      const words = await wordsOf(query.organizationId, found.chunks, asked, signal)
      if (words === null) continue
      const ranked = await rank(asked, found.chunks, words, signal)
      const chunks = await show(db, query, ranked.slice(0, limit))
      if (chunks !== null) return { ...found, chunks }
    }
    return null
  }

  async function rank<Chunk extends NearChunk>(
    asked: Asked,
    chunks: readonly Chunk[],
    words: readonly FoundWords[],
    signal?: AbortSignal,
  ): Promise<Ranked<Chunk>[]> {
    const rankable = chunks.map(({ score, meaning }, at) => ({
      score,
      meaning,
      words: words[at] ?? NO_WORDS,
    }))
    const ordered = await inSlices(orderingByWordsToo(asked, rankable, terms), signal)
    return ordered.flatMap(({ at, relevance }) => {
      const chunk = chunks[at]
      return chunk === undefined ? [] : [{ ...chunk, relevance }]
    })
  }

  return async (query, { words, limit }, signal) => {
    const asked = askedWords(words, terms)
    const ranked = memory ? await rankInMemory(query, { asked, limit, memory }, signal) : null
    if (ranked !== null) {
      onAnswered('memory')
      return ranked
    }
    const found = await findWithoutCopy(db, query, onAnswered)
    if (found.state !== 'found') return found
    const read = await inSlices(reading(asked, found.chunks, terms), signal)
    const chunks = (await rank(asked, found.chunks, read, signal)).slice(0, limit)
    return { ...found, chunks }
  }
}

/** What each chunk has of a query's words; null where one of them is gone. */
type WordsOf = (
  organizationId: string,
  chunks: readonly NamedChunk[],
  asked: Asked,
  signal?: AbortSignal,
) => Promise<FoundWords[] | null>

/** Words by what is kept of them, and of what is read and then kept. */
function createWordsOf({ db, terms }: { db: Db; terms: TermWeights }): WordsOf {
  const kept = new KeptWords()
  return async (organizationId, chunks, asked, signal) => {
    const names = chunks.map(({ name }) => name)
    const words = kept.find(asked, names)
    const unknown = chunks.flatMap((chunk, at) => (words[at] ? [] : [{ ...keyOf(chunk), at }]))
    if (unknown.length > 0) {
      const texts = await readTexts(db, organizationId, unknown)
      const places = new Map(unknown.map((one) => [keyText(one), one.at]))
      await inSlices(keeping(texts, places), signal)
    }
    const all = words.flatMap((one) => one ?? [])
    return all.length === chunks.length ? all : null

    function* keeping(
      texts: Awaited<ReturnType<typeof readTexts>>,
      places: Map<string, number>,
    ): Pausable<void> {
      for (const { id, position, title, content } of texts) {
        yield
        const at = places.get(keyText({ itemId: id, position })) ?? -1
        words[at] = kept.keep(names[at] ?? '', terms.tokenize(`${title}\n${content}`), asked)
      }
    }
  }
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

/** How near the candidates are, each with a name that another text of the same place has not. */
async function decideNamed(
  db: Db,
  query: NearestQuery,
  candidates: readonly Candidate[],
): Promise<Decided<NamedChunk>> {
  const { nearest, ...state } = await decideHowNear(db, query, candidates)
  if (nearest.state !== 'found') return { ...state, nearest }
  const versions = new Map(candidates.map((one) => [keyText(one), one.version]))
  const chunks = nearest.chunks.map((chunk) => ({
    ...chunk,
    name: `${versions.get(keyText(keyOf(chunk)))}:${chunk.position}`,
  }))
  return { ...state, nearest: { ...nearest, chunks } }
}

/** The chunks with what is shown of them; null where they are not any more what they were: changed, gone, or out of scope. */
async function show(
  db: Db,
  query: NearestQuery,
  ranked: readonly Ranked<NearChunk>[],
): Promise<RankedChunk[] | null> {
  if (ranked.length === 0) return []
  const { nearest } = await decideNearest(
    db,
    { ...query, limit: ranked.length, meaning: null },
    ranked.map(keyOf),
  )
  if (nearest.state !== 'found') return null
  const found = new Map(nearest.chunks.map((chunk) => [keyText(keyOf(chunk)), chunk]))
  const shown = ranked.flatMap((near) => {
    const { score, meaning, relevance } = near
    const chunk = found.get(keyText(keyOf(near)))
    return chunk?.score === score ? [{ ...chunk, meaning, relevance }] : []
  })
  return shown.length === ranked.length ? shown : null
}

function keyOf({ sourceItemId: itemId, position }: NearChunk): { itemId: string; position: number } {
  return { itemId, position }
}

function keyText({ itemId, position }: { itemId: string; position: number }): string {
  return `${itemId}:${position}`
}
