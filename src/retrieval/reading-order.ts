import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import { createQuotationFilter, withoutQuestionsInCode } from '../text/quotations.ts'
import { askedWords, findWords } from './asked-words.ts'
import { orderingByWordsToo, type Rankable, type Ranked } from './hybrid-order.ts'

/** A found chunk as it is to be read. */
export type Readable = Omit<Rankable, 'words'> & { title: string; content: string }

/**
 * The order in which an answer reads: the hybrid one, but what is near because its code repeats the question counts as the
 * furthest of all, and its code for nothing.
 */
export function* orderingForReading(
  question: string,
  chunks: readonly Readable[],
  terms: TermWeights,
): Pausable<Ranked[]> {
  const withoutQuotations = createQuotationFilter(question)
  const asked = askedWords(question, terms)
  const furthest = chunks.at(-1)?.score ?? 0
  const readable: Rankable[] = []
  for (const { title, content, score, meaning } of chunks) {
    yield
    const text = withoutQuotations(content)
    const quotes = text !== content
    const stems = terms.tokenize(`${title}\n${withoutQuestionsInCode(text)}`)
    readable.push({
      words: findWords(asked, stems),
      score: quotes ? furthest : score,
      meaning: quotes && meaning !== null ? 0 : meaning,
    })
  }
  return yield* orderingByWordsToo(asked, readable, terms)
}
