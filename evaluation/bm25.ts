import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'
import type { CollectionDocument } from './read-collection.ts'

const K1 = 1.2
const B = 0.75

/** Document ids for a query, best first, without documents that share no word with it. */
export type RankByWords = (query: string, limit: number) => string[]

/**
 * BM25 over whole documents, title and text together (Robertson & Zaragoza, The Probabilistic Relevance
 * Framework, 2009; idf = ln(1 + (N - df + .5) / (df + .5)), k1 1.2, b .75), on Porter2 stems without stop
 * words. Ties keep the order of the corpus.
 */
export function createBm25(documents: readonly CollectionDocument[]): RankByWords {
  const postings = new Map<string, Map<number, number>>()
  const lengths = documents.map(({ title, text }, at) => {
    const stems = tokenize(`${title}\n${text}`)
    for (const stem of stems) {
      const ofStem = postings.get(stem) ?? new Map<number, number>()
      postings.set(stem, ofStem.set(at, (ofStem.get(at) ?? 0) + 1))
    }
    return stems.length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, documents.length)

  return (query, limit) => {
    const scores = new Map<number, number>()
    for (const stem of tokenize(query)) {
      const ofStem = postings.get(stem)
      if (ofStem === undefined) continue
      const idf = Math.log(1 + (documents.length - ofStem.size + 0.5) / (ofStem.size + 0.5))
      for (const [at, count] of ofStem) {
        const saturation = count + K1 * (1 - B + (B * (lengths[at] ?? 0)) / average)
        scores.set(at, (scores.get(at) ?? 0) + (idf * count * (K1 + 1)) / saturation)
      }
    }
    return [...scores]
      .toSorted(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
      .slice(0, limit)
      .map(([at]) => documents[at]?.id ?? '')
  }
}
