import type { TermWeights } from '../../inference/term-weights.ts'

/** A hyphenated word, which counts in both spellings. */
const HYPHEN = /(\p{L})-(?=\p{L})/gu
const INNER_CAPITAL = /(\p{Ll})(?=\p{Lu})/gu

/** Phrases with a common verb and their single-word equivalents, which are more specific. */
const PHRASES: readonly [RegExp, string][] = [
  [/\bback(?:s|ed|ing)? up\b/gi, 'backup'],
  [/\b(?:turn|switch)(?:s|es|ed|ing)? on\b/gi, 'enable'],
  [/\b(?:turn|switch)(?:s|es|ed|ing)? off\b/gi, 'disable'],
  [/\bget(?:s|ting)? rid of\b/gi, 'delete'],
  [/\blog(?:s|ged|ging)? in\b/gi, 'login'],
]
const HAS_PHRASE = /\b(?:up|on|off|rid|in)\b/i

/** Replaces phrases with single words: "turn on" becomes "enable". */
export function withSingleWords(text: string): string {
  if (!HAS_PHRASE.test(text)) return text
  return PHRASES.reduce((said, [phrase, word]) => said.replaceAll(phrase, word), text)
}

/** The stems of a text, including the parts of identifiers. @param words the stems of the unchanged text */
export function stemsOf(text: string, terms: TermWeights, words = terms.tokenize(text)): Set<string> {
  const apart = text.replaceAll(INNER_CAPITAL, '$1 ')
  const together = text.replaceAll(HYPHEN, '$1')
  const others = [apart, together, withSingleWords(text)].filter((other) => other !== text)
  return new Set([...words, ...others.flatMap((other) => terms.tokenize(other))])
}

/** The stems of a question. Hyphenated words also count as one; identifiers stay whole: their parts are unspecific. */
export function askedStems(
  question: string,
  isWritten: (stem: string) => boolean,
  terms: TermWeights,
): string[] {
  const together = question.replaceAll(HYPHEN, '$1')
  const stems = new Set(terms.tokenize(question))
  // A joined spelling that no passage uses would take weight from the other words.
  const joined = together === question ? [] : terms.tokenize(together).filter(isWritten)
  return [...stems.union(new Set(joined))]
}
