import type { TermWeights } from '../inference/term-weights.ts'

/** A word that is written apart as well: both spellings count. */
const HYPHEN = /(\p{L})-(?=\p{L})/gu
const INNER_CAPITAL = /(\p{Ll})(?=\p{Lu})/gu

/** The stems of a text, of identifiers those of their parts too: `keepAliveTimeout` and "keep-alive time-out" share them. */
export function stemsOf(text: string, terms: TermWeights): Set<string> {
  const apart = text.replaceAll(INNER_CAPITAL, '$1 ')
  const together = text.replaceAll(HYPHEN, '$1')
  const spellings = [text, ...[apart, together].filter((other) => other !== text)]
  return new Set(spellings.flatMap((spelling) => terms.tokenize(spelling)))
}

/** The stems of a question, hyphenated words as one word too; identifiers stay whole, a part of one says little. */
export function askedStems(
  question: string,
  isWritten: (stem: string) => boolean,
  terms: TermWeights,
): string[] {
  const together = question.replaceAll(HYPHEN, '$1')
  const stems = new Set(terms.tokenize(question))
  // One that nothing here is written with would only take weight from those that say something.
  const joined = terms.tokenize(together).filter(isWritten)
  return [...stems.union(new Set(joined))]
}
