import type { TermWeights } from '../inference/term-weights.ts'
import type { Caller } from '../kernel/principal.ts'
import { createQuotationFilter, withoutQuestionsInCode } from '../text/quotations.ts'
import type { Search } from './search.ts'
import type { Hit } from './search-schema.ts'

/** What to read to answer a question: hits as of a search, scored by cosine, in an order of their own. */
export type ReadingList = (
  caller: Caller,
  request: { query: string; limit: number },
  signal?: AbortSignal,
) => Promise<Hit[]>

/** The nearest chunks that are looked at; what is further away is not read. */
const CANDIDATES = 100
/** BM25's parameters. */
const K1 = 1.2
const B = 0.75
/** What the best cosine counts, where a chunk that is full of all of the question's words counts 1. */
const COSINE_SHARE = 0.4

/**
 * The reading list of an answer: the chunks nearest to the question, in the order of BM25 and cosine together, which
 * finds what answers better than either alone (docs/evaluation.md). Bounded, and within the caller's scope, since it only
 * orders what a search gives. @throws what `Search` throws
 */
export function createReadingList({ search, terms }: { search: Search; terms: TermWeights }): ReadingList {
  return async (caller, { query, limit }, signal) => {
    const { hits } = await search(caller, { query, limit: Math.max(CANDIDATES, limit), filter: {} }, signal)
    return orderForReading(query, hits, terms).slice(0, limit)
  }
}

/**
 * Hits as they are to be read, those of a search's order (best cosine first) given; that order breaks ties. What is near
 * because its code repeats the question counts as the furthest of them, and its code for nothing.
 */
export function orderForReading(query: string, hits: readonly Hit[], terms: TermWeights): Hit[] {
  const withoutQuotations = createQuotationFilter(query)
  const texts = hits.map(({ content }) => withoutQuotations(content))
  const words = scoreWords(query, hits, texts.map(withoutQuestionsInCode), terms)
  const furthest = hits.at(-1)?.score ?? 0
  const scores = hits.map((hit, at) => (texts[at] === hit.content ? hit.score : furthest))
  const nearest = Math.max(Number.MIN_VALUE, ...scores)
  return hits
    .map((hit, at) => ({ hit, score: (words[at] ?? 0) + (COSINE_SHARE * (scores[at] ?? 0)) / nearest }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ hit }) => hit)
}

/**
 * BM25 of each hit, as a share of what the question could reach. A word weighs the geometric mean of how rare it is among
 * the hits and how rare it is in plain text: a hundred hits, all near to the question, say too little alone.
 */
function scoreWords(
  query: string,
  hits: readonly Hit[],
  texts: readonly string[],
  terms: TermWeights,
): number[] {
  const stems = terms.tokenize(query)
  const counted = hits.map(({ title }, at) =>
    countStems(terms.tokenize(`${title}\n${texts[at] ?? ''}`), stems),
  )
  const average = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length)
  const weights = stems.map((stem) => {
    const having = counted.filter(({ counts }) => counts.has(stem)).length
    const local = Math.log(1 + (counted.length - having + 0.5) / (having + 0.5))
    return Math.sqrt(local * terms.backgroundWeight(stem))
  })
  const reachable = (K1 + 1) * weights.reduce((sum, weight) => sum + weight, 0)
  if (reachable === 0) return hits.map(() => 0)
  return counted.map(({ counts, length }) => {
    const half = K1 * (1 - B + (B * length) / Math.max(1, average))
    const score = stems.reduce((sum, stem, at) => {
      const count = counts.get(stem) ?? 0
      return sum + ((weights[at] ?? 0) * (K1 + 1) * count) / (count + half)
    }, 0)
    return score / reachable
  })
}

/** How often each of `wanted` occurs, and how many stems there are in all. */
function countStems(
  stems: readonly string[],
  wanted: readonly string[],
): { counts: Map<string, number>; length: number } {
  const asked = new Set(wanted)
  const counts = new Map<string, number>()
  for (const stem of stems) if (asked.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  return { counts, length: stems.length }
}
