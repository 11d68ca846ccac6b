import type { Pausable } from '../../kernel/slices.ts'

export interface Rankable {
  itemId: string
  /** Cosine to the query, above 0. */
  score: number
  /** Dot product of the meaning parts; null when the model has none. */
  meaning: number | null
  /** Hashes of the stems of title and content, in order. */
  words: Uint32Array
  /** How many of `words` are the title's. */
  titleWords: number
}

/** The query's stems in order with what each weighs in ordinary text. */
export interface AskedWord {
  hash: number
  weight: number
}

const K1 = 1.2
const B = 0.75
const BM25_SCALE = 20
const COSINE_SHARE = 0.3
const MEANING_SHARE = 0.3
const COVERED = [0.4, 0.7] as const
const MATCHED = [8, 14] as const
const UNUSUAL = [8, 10] as const

/** Relevance (0 to 1) of each chunk, in the order given. Pauses often. */
export function* relevanceOf(
  asked: readonly AskedWord[],
  chunks: readonly Rankable[],
): Pausable<Float64Array> {
  const times = new Map<number, number>()
  const background = new Map<number, number>()
  for (const { hash, weight } of asked) {
    times.set(hash, (times.get(hash) ?? 0) + 1)
    background.set(hash, weight)
  }
  const counted: Map<number, number>[] = []
  for (const { words } of chunks) {
    yield
    const counts = new Map<number, number>()
    for (const hash of words) if (times.has(hash)) counts.set(hash, (counts.get(hash) ?? 0) + 1)
    counted.push(counts)
  }
  const average = chunks.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, chunks.length)
  const weights = new Map<number, number>()
  for (const [hash, many] of times) {
    const having = counted.reduce((sum, counts) => sum + (counts.has(hash) ? 1 : 0), 0)
    const local = Math.log(1 + (chunks.length - having + 0.5) / (having + 0.5))
    weights.set(hash, many * Math.sqrt(local * (background.get(hash) ?? 0)))
  }
  const weightOf = (hashes: Iterable<number>): number =>
    [...hashes].reduce((sum, hash) => sum + (weights.get(hash) ?? 0), 0)
  const whole = weightOf(weights.keys())
  const scores = counted.map((counts, at) => {
    const half = K1 * (1 - B + (B * (chunks[at]?.words.length ?? 0)) / Math.max(1, average))
    let sum = 0
    for (const [hash, count] of counts) sum += ((weights.get(hash) ?? 0) * (K1 + 1) * count) / (count + half)
    return sum
  })
  const most = (values: readonly number[]): number =>
    values.reduce((a, b) => Math.max(a, b), Number.MIN_VALUE)
  const bestScore = most(scores)
  const trustIn = (matched: readonly number[]): number =>
    Math.max(
      within(COVERED, weightOf(matched) / Math.max(whole, Number.MIN_VALUE)),
      within(MATCHED, bestScore),
      within(UNUSUAL, most(matched.map((hash) => background.get(hash) ?? 0))),
    )
  const trust = counted.reduce(
    (greatest, counts, at) =>
      scores[at] === bestScore ? Math.max(greatest, trustIn([...counts.keys()])) : greatest,
    0,
  )
  const scale = Math.max(bestScore, Math.min((K1 + 1) * whole, BM25_SCALE))
  const best = most(chunks.map(({ score }) => score))
  const bestMeaning = most(chunks.map(({ meaning }) => meaning ?? 0))
  return Float64Array.from(chunks, ({ score, meaning }, at) => {
    const byCosine = score / best
    const byMeaning = meaning === null ? byCosine : Math.max(0, meaning) / bestMeaning
    const words = (trust * (scores[at] ?? 0)) / scale
    return (words + COSINE_SHARE * byCosine + MEANING_SHARE * byMeaning) / (1 + COSINE_SHARE + MEANING_SHARE)
  })
}

function within([from, to]: readonly [number, number], value: number): number {
  return Math.max(0, Math.min(1, (value - from) / (to - from)))
}

/** 32-bit hash of a stem (FNV-1a over UTF-16 units, http://www.isthe.com/chongo/tech/comp/fnv/). */
export function hashWord(stem: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < stem.length; at++) hash = Math.imul(hash ^ stem.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
