import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Asked, FoundWords } from './asked-words.ts'

/** How near a chunk is to a query. */
export interface Near {
  /** Cosine similarity, above 0. */
  score: number
  /** How near it is by the part of the vectors that says what words mean; null: the model has no such part. */
  meaning: number | null
}

/** The best score and the best meaning of some chunks, each for itself, and above 0. */
interface BestNear {
  score: number
  meaning: number
}

/** What of a found chunk its place among others depends on. */
export interface Rankable extends Near {
  /** What it has of the query's words. */
  words: FoundWords
}

export interface Ranked {
  /** Its place in the order given, from 0. */
  at: number
  /** How well it fits, above 0 and at most 1. */
  relevance: number
}

/** BM25's parameters. */
const K1 = 1.2
const B = 0.75
/**
 * What a chunk's BM25 is measured by, at least, where the query could reach it: a single accidental word of a query then
 * weighs less than a good match, and a long one is not punished for the words that nothing has.
 */
const BM25_SCALE = 20
/** What the best cosine counts beside the best BM25, which counts 1, and what the best meaning. */
const COSINE_SHARE = 0.3
const MEANING_SHARE = 0.3
/**
 * Words count less where even the best chunk has little of the query's weight (the first pair), unless what it has is much by
 * itself (the second), or one of its words is hardly ever used (the third): common words in passing are no match, while a part of a
 * long claim is one, and an error's number. Of each pair, from nothing at the first number to all at the second.
 */
const COVERED = [0.4, 0.7] as const
const MATCHED = [8, 14] as const
const UNUSUAL = [8, 10] as const

/**
 * The chunks nearest to a query, those of a search's order (best cosine first) given, by words and vectors together, which
 * finds better than either alone (docs/evaluation.md). Ties stay in the order given. It pauses after each word.
 */
export function* orderingByWordsToo(
  asked: Asked,
  chunks: readonly Rankable[],
  terms: Pick<TermWeights, 'backgroundWeight'>,
): Pausable<Ranked[]> {
  const found = chunks.map(({ words }) => words)
  const words = yield* scoringWords(asked, found, terms)
  const best = bestOf(chunks)
  return chunks
    .map((chunk, at) => ({ at, relevance: relevanceOf(words[at] ?? 0, chunk, best) }))
    .toSorted((a, b) => b.relevance - a.relevance || a.at - b.at)
}

/**
 * How well a chunk fits, above 0 and at most 1; the nearer it is, the better.
 * @param words what its words score, 0 to 1
 * @param best of the chunks that it is one of, each for itself
 */
export function relevanceOf(words: number, { score, meaning }: Near, best: BestNear): number {
  const byCosine = score / best.score
  // Of a model that does not keep meaning apart, the cosine is all that tells it.
  const byMeaning = meaning === null ? byCosine : Math.max(0, meaning) / best.meaning
  return (words + COSINE_SHARE * byCosine + MEANING_SHARE * byMeaning) / (1 + COSINE_SHARE + MEANING_SHARE)
}

/** The best score and the best meaning of some chunks. */
export function bestOf(chunks: readonly Near[]): BestNear {
  return {
    score: most(chunks.map(({ score }) => score)),
    meaning: most(chunks.map(({ meaning }) => meaning ?? 0)),
  }
}

function most(values: readonly number[]): number {
  return values.reduce((greatest, value) => Math.max(greatest, value), Number.MIN_VALUE)
}

/**
 * BM25 of each chunk, at most 1, whatever their order. A word weighs the geometric mean of how rare it is among the chunks and how rare it is in
 * plain text: two hundred chunks, all near to the query, say too little alone.
 */
export function* scoringWords(
  asked: Asked,
  counted: readonly FoundWords[],
  terms: Pick<TermWeights, 'backgroundWeight'>,
): Pausable<number[]> {
  const average = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length)
  const weights = new Map<string, number>()
  for (const [stem, times] of asked) {
    yield
    const having = counted.reduce((sum, { counts }) => sum + (counts.has(stem) ? 1 : 0), 0)
    const local = Math.log(1 + (counted.length - having + 0.5) / (having + 0.5))
    weights.set(stem, times * Math.sqrt(local * terms.backgroundWeight(stem)))
  }
  const weightOf = (stems: readonly string[]): number =>
    stems.reduce((sum, stem) => sum + (weights.get(stem) ?? 0), 0)
  const whole = weightOf([...weights.keys()])
  const scores = counted.map(({ counts, length }) => {
    const half = K1 * (1 - B + (B * length) / Math.max(1, average))
    return counts
      .entries()
      .reduce((sum, [stem, count]) => sum + ((weights.get(stem) ?? 0) * (K1 + 1) * count) / (count + half), 0)
  })
  const bestScore = most(scores)
  const trustIn = (matched: readonly string[]): number =>
    Math.max(
      within(COVERED, weightOf(matched) / Math.max(whole, Number.MIN_VALUE)),
      within(MATCHED, bestScore),
      within(UNUSUAL, most(matched.map((stem) => terms.backgroundWeight(stem)))),
    )
  const trust = counted.reduce(
    (greatest, { counts }, at) =>
      scores[at] === bestScore ? Math.max(greatest, trustIn([...counts.keys()])) : greatest,
    0,
  )
  const scale = Math.max(bestScore, Math.min((K1 + 1) * whole, BM25_SCALE))
  return scores.map((score) => (trust * score) / scale)
}

/** How far a value is on the way from the first to the second, 0 to 1. */
function within([from, to]: readonly [number, number], value: number): number {
  return Math.max(0, Math.min(1, (value - from) / (to - from)))
}
