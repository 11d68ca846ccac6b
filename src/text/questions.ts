/** Longer text does not count as a question. */
const CHARACTERS_MAX = 500

export const isTooLongForQuestion = (text: string): boolean => text.length > CHARACTERS_MAX

/** The words that begin questions, as alternatives of a regular expression without case. */
export const QUESTION_WORDS =
  "(?:how|what|what's|which|where|when|who|whom|whose|why|is|are|does|do|did|can|could|should|must|may|will|wie|was|welche[rsn]?|wo|wann|wer|warum|comment|quel(?:le)?s?|où|quand|qui|pourquoi|cómo|qué|cuál(?:es)?|dónde|cuándo|quién)(?![\\p{L}])"

const SENTENCE_START = /(?:^|[.!?:]\s{0,4})["“'(¿¡]{0,2}$/u
/** Longer than what {@link SENTENCE_START} matches. */
const START_CHARACTERS_MAX = 8

/** Whether a sentence starts at `index`, where every word is capitalized. */
export function startsSentence(text: string, index: number): boolean {
  return SENTENCE_START.test(text.slice(Math.max(0, index - START_CHARACTERS_MAX), index))
}
