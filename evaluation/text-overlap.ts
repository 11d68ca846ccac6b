/** Minimum run of words that counts as a repetition. */
const RUN = 3
/** The share of a sentence's words that must be in the text. */
const SHARE_MIN = 0.8

/** A text's words in lower case, with one space around each. */
export type Words = string

export function readWords(text: string): Words {
  return ` ${wordsOf(text).join(' ')} `
}

/**
 * Whether a sentence is from a text: most of its words occur there in the same order, at least three in a
 * row. Parts between colons, semicolons and dashes may be shorter, such as table cells shown with their
 * column names.
 */
export function isFrom(sentence: string, text: Words): boolean {
  const parts = sentence.split(/[:;–|]\s/).map(wordsOf)
  const total = parts.reduce((sum, words) => sum + words.length, 0)
  const found = parts.reduce((sum, words) => sum + countFound(words, text), 0)
  return total >= RUN && found / total >= SHARE_MIN
}

/** How many of the words occur in the text in this order. */
function countFound(words: readonly string[], text: Words): number {
  const stands = (from: number, to: number): boolean => text.includes(` ${words.slice(from, to).join(' ')} `)
  if (words.length === 0) return 0
  if (words.length < RUN) return stands(0, words.length) ? words.length : 0
  const found = new Set<number>()
  for (let from = 0; from + RUN <= words.length; from++) {
    if (stands(from, from + RUN)) for (let at = from; at < from + RUN; at++) found.add(at)
  }
  return found.size
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}
