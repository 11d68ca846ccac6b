/**
 * The hybrid order: the relevance of each candidate by words and vector together.
 *
 *     relevance = (trust * words / max(best words, min(reachable, 20)) + share * near / best near) / (1 + share)
 *
 * `words` is BM25 plus gains for the title and for close words. Only the candidates are read, so that nothing outside
 * the caller's scope affects the order.
 */
import type { Pausable } from '../../kernel/cooperative.ts'
import type { AskedWord, ChunkWords } from './words.ts'

export interface Rankable {
  /** The cosine to the query, above 0. */
  score: number
  /** The dot product of the meaning parts; null if the model has none. */
  meaning: number | null
  words: ChunkWords
}

/** Parameters of BM25. */
const K1 = 1.2
const B = 0.75
/** The gain of a word in the title, as a share of its weight. */
const TITLE = 0.6
/** The gain of two neighboring query words, as a share of their mean weight, divided by their distance in the chunk. */
const CLOSE = 0.5
/** The minimum divisor of scores, if the query can reach it, so that one accidental word weighs little. */
const SCALE = 20
/** The weight of the nearest chunk's meaning, relative to 1 for the best words. */
const MEANING_SHARE = 0.3
/** The weight of the cosine, for a model without a separate meaning part. */
const COSINE_SHARE = 0.6
/**
 * Words count less if even the best chunk covers little of the query's weight (first pair), unless its score is high
 * (second) or one of its words is rare in ordinary text (third). A few common words are then no match, but part of a
 * long claim or an error code is. Each pair ranges from no trust to full trust.
 */
const COVERED = [0.4, 0.7] as const
const MATCHED = [10, 16] as const
const RARE = [8, 10] as const

const HASH_BITS = 4_095

/** The query's distinct words, in order of first occurrence. */
interface Query {
  /** The index of each word, and of its translations. */
  indexes: ReadonlyMap<number, number>
  /** A filter by a hash's last bits: whether the query may contain it. Excludes most words without a look-up. */
  mayHave: Uint8Array
  times: number[]
  background: number[]
}

/** An occurrence of a query word in a chunk. */
interface Found {
  index: number
  count: number
  isInTitle: boolean
  /** The position of its last occurrence. */
  last: number
  /** The minimum distance to the preceding word of the query. */
  distance: number
}

interface Scored {
  score: number
  /** The weight of the query's words in the chunk. */
  covered: number
  /** The background weight of the rarest of these words. */
  rarest: number
}

/** The relevance of each chunk, 0 to 1, in the given order. Pauses often. */
export function* relevanceOf(
  asked: readonly AskedWord[],
  chunks: readonly Rankable[],
): Pausable<Float64Array> {
  const words = yield* scoringWords(queryOf(asked), chunks)
  const hasMeaning = chunks.every(({ meaning }) => meaning !== null)
  const share = hasMeaning ? MEANING_SHARE : COSINE_SHARE
  const near = Float64Array.from(chunks, ({ meaning, score }) =>
    hasMeaning ? Math.max(0, meaning ?? 0) : score,
  )
  const nearest = greatest(near)
  // Divides first, because the product of a share and a denormal number may be rounded up.
  return words.map((score, at) => (score + share * ((near[at] ?? 0) / nearest)) / (1 + share))
}

function queryOf(asked: readonly AskedWord[]): Query {
  const indexes = new Map<number, number>()
  const mayHave = new Uint8Array(HASH_BITS + 1)
  const times: number[] = []
  const background: number[] = []
  for (const { hash, translations, weight } of asked) {
    const index = indexes.get(hash) ?? times.length
    for (const one of [hash, ...translations]) {
      if (indexes.has(one)) continue
      indexes.set(one, index)
      mayHave[one & HASH_BITS] = 1
    }
    times[index] = (times[index] ?? 0) + 1
    background[index] = weight
  }
  return { indexes, mayHave, times, background }
}

/** The word score of each chunk, 0 to 1. */
function* scoringWords(query: Query, chunks: readonly Rankable[]): Pausable<Float64Array> {
  const found: Found[][] = []
  const having = new Uint32Array(query.times.length)
  for (const { words } of chunks) {
    yield
    const ofChunk = findWords(query, words)
    found.push(ofChunk)
    for (const { index } of ofChunk) having[index] = (having[index] ?? 0) + 1
  }
  const weights = weighWords(query, having, chunks.length)
  const average =
    chunks.reduce((sum, { words }) => sum + words.numbers.length, 0) / Math.max(1, chunks.length)
  const scored: Scored[] = []
  for (const [at, { words }] of chunks.entries()) {
    yield
    const half = K1 * (1 - B + (B * words.numbers.length) / Math.max(1, average))
    scored.push(scoreOf(query, weights, found[at] ?? [], half))
  }
  return normalize(
    scored,
    weights.reduce((sum, weight) => sum + weight, 0),
  )
}

/** Finds the query's words in a chunk, in order of first occurrence. */
function findWords({ indexes, mayHave }: Query, { numbers, titleWords }: ChunkWords): Found[] {
  const found: Found[] = []
  const byIndex: (Found | undefined)[] = []
  for (let at = 0; at < numbers.length; at++) {
    const hash = numbers[at] ?? 0
    if (mayHave[hash & HASH_BITS] === 0) continue
    const index = indexes.get(hash)
    if (index === undefined) continue
    const word = byIndex[index] ?? {
      index,
      count: 0,
      isInTitle: at < titleWords,
      last: at,
      distance: Infinity,
    }
    if (word.count === 0) found.push((byIndex[index] = word))
    word.count += 1
    word.last = at
    const before = index > 0 ? byIndex[index - 1] : undefined
    const after = byIndex[index + 1]
    if (before) word.distance = Math.min(word.distance, at - before.last)
    if (after) after.distance = Math.min(after.distance, at - after.last)
  }
  return found
}

/** Weighs each word by the geometric mean of its rarity among the chunks and in ordinary text. */
function weighWords({ times, background }: Query, having: Uint32Array, chunks: number): Float64Array {
  return Float64Array.from(times, (many, index) => {
    const have = having[index] ?? 0
    const local = Math.log(1 + (chunks - have + 0.5) / (have + 0.5))
    return many * Math.sqrt(local * (background[index] ?? 0))
  })
}

/** @param half the count at which a word reaches half of its maximum score */
function scoreOf(
  { background }: Query,
  weights: Float64Array,
  found: readonly Found[],
  half: number,
): Scored {
  const scored: Scored = { score: 0, covered: 0, rarest: 0 }
  for (const { index, count, isInTitle, distance } of found) {
    const weight = weights[index] ?? 0
    scored.score += (weight * (K1 + 1) * count) / (count + half) + TITLE * weight * (isInTitle ? 1 : 0)
    if (distance < Infinity) scored.score += (CLOSE * (weight + (weights[index - 1] ?? 0))) / 2 / distance
    scored.covered += weight
    scored.rarest = Math.max(scored.rarest, background[index] ?? 0)
  }
  return scored
}

/** Scores as shares of the best one, or of a good match's, scaled by the trust in the best one. */
function normalize(scored: readonly Scored[], whole: number): Float64Array {
  const scores = Float64Array.from(scored, ({ score }) => score)
  const best = greatest(scores)
  const scale = Math.max(best, Math.min((K1 + 1) * whole, SCALE))
  const trust = scored.reduce(
    (most, one) => (one.score === best ? Math.max(most, trustIn(one, whole)) : most),
    0,
  )
  return scores.map((score) => (trust * score) / scale)
}

function trustIn({ score, covered, rarest }: Scored, whole: number): number {
  return Math.max(
    within(COVERED, covered / Math.max(whole, Number.MIN_VALUE)),
    within(MATCHED, score),
    within(RARE, rarest),
  )
}

/** The maximum of some values, and above 0. */
function greatest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value), Number.MIN_VALUE)
}

/** The position of a value between two limits, 0 to 1. */
function within([from, to]: readonly [number, number], value: number): number {
  return Math.max(0, Math.min(1, (value - from) / (to - from)))
}
