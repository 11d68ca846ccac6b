import type { Pausable } from '../../kernel/cooperative.ts'

export interface Word {
  text: string
  before: string
  after: string
  /** The word begins a sentence, a list entry, a quotation or a link text, so its capital may mean nothing. */
  isFirst: boolean
}

/** Longer runs are not words. */
const WORD_CHARACTERS_MAX = 80
const LEADING = /^[^\p{L}\p{N}]+/u
const TRAILING = /[^\p{L}\p{N}]+$/u
const POSSESSIVE = /['’]s$/iu
const LINK_TARGET = /\]\([^()\s]{0,2000}\)/g
const ENDS_SENTENCE = /[.!?:;…]/u
const OPENS = /["“”„«»([>•|]/u
/** Filled text has longer lines; a line after a shorter one starts a new entry. */
const FULL_LINE_CHARACTERS = 40

/** The words of a paragraph, without code and link targets. */
export function* findingWords(paragraph: string): Pausable<Word[]> {
  const words: Word[] = []
  const text = paragraph.replace(LINK_TARGET, ']')
  let isFirst = true
  let lineStart = 0
  let lastEnd = 0
  for (const { 0: token, index } of text.matchAll(/\S+/g)) {
    if (words.length % 64 === 0) yield
    const lineEnd = text.slice(lastEnd, index).indexOf('\n')
    if (lineEnd >= 0) {
      isFirst ||= lastEnd + lineEnd - lineStart < FULL_LINE_CHARACTERS
      lineStart = index
    }
    lastEnd = index + token.length
    if (token.length > WORD_CHARACTERS_MAX || token.includes('://') || token.includes('`')) {
      // Separates the names on both sides.
      words.push({ text: '', before: '', after: '', isFirst: true })
      isFirst ||= ENDS_SENTENCE.test(TRAILING.exec(token)?.[0] ?? '')
      continue
    }
    const before = LEADING.exec(token)?.[0] ?? ''
    if (before.length === token.length) {
      isFirst ||= !/^[&+]$/.test(token)
      continue
    }
    const rest = token.slice(before.length)
    const after = TRAILING.exec(rest)?.[0] ?? ''
    const bare = rest.slice(0, rest.length - after.length).replace(POSSESSIVE, '')
    words.push({ text: bare, before, after, isFirst: isFirst || OPENS.test(before) })
    isFirst = ENDS_SENTENCE.test(after)
  }
  return words
}

export function isCapital({ text }: Word): boolean {
  return /^\p{Lu}/u.test(text)
}

/** Whether a word is spelled as only names are: `GitHub`, `OAuth2`, `SLA`. */
export function isOdd({ text }: Word): boolean {
  return /\p{Ll}\p{Lu}/u.test(text) || /^\p{Lu}[\p{Lu}\p{N}]{1,7}s?$/u.test(text)
}
