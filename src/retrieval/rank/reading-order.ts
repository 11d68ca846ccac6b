import type { TermWeights } from '../../inference/term-weights.ts'
import type { Pausable } from '../../kernel/cooperative.ts'
import { createQuotationFilter, withoutQuestionsInCode } from '../../text/quotations.ts'
import { relevanceOf, type Rankable } from './hybrid-order.ts'
import { askedWords, type ChunkWords, chunkWords } from './words.ts'

export interface ChunkToRead {
  title: string
  content: string
  score: number
  meaning?: number | null
  /** The words of title and content, if known. */
  words?: ChunkWords
}

/** Hybrid order, except that code that repeats the question is ignored and a chunk with it comes last. */
export function* orderForReading<Chunk extends ChunkToRead>(
  question: string,
  chunks: readonly Chunk[],
  terms: TermWeights,
): Pausable<Chunk[]> {
  const withoutQuotations = createQuotationFilter(question)
  const furthest = chunks.reduce((least, { score }) => Math.min(least, score), 1)
  const readable: Rankable[] = []
  for (const chunk of chunks) {
    yield
    const { title, content, score, meaning = null, words: known } = chunk
    const text = withoutQuotations(content)
    const quotes = text !== content
    const said = withoutQuestionsInCode(text)
    const words = known && said === content ? known : chunkWords({ title, content: said }, terms)
    readable.push({
      words,
      score: quotes ? furthest : score,
      meaning: quotes && meaning !== null ? 0 : meaning,
    })
  }
  const relevances = yield* relevanceOf(askedWords(question, terms), readable)
  return [...chunks.entries()]
    .toSorted(([a], [b]) => (relevances[b] ?? 0) - (relevances[a] ?? 0) || a - b)
    .map(([, chunk]) => chunk)
}
