import { stem } from 'porter2'

import { STOP_WORDS } from './stop-words.ts'

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u
const LATIN_LETTER = /\p{Script=Latin}/u
const ASCII_WORD = /^[a-z0-9]+$/
const MARKS = /\p{M}+/gu
/** Scripts without spaces between words; Hangul is included because its particles are attached. */
const UNSPACED_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu
/** Latin letters that do not decompose to ASCII. */
const LATIN_SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}
const LATIN_SPELLED = new RegExp(`[${Object.keys(LATIN_SPELLINGS).join('')}]`, 'gu')
/** What remains of "it's", "don't", "we'll" after the apostrophe. */
const CONTRACTION_ENDS: ReadonlySet<string> = new Set(['s', 't', 'd', 'm', 'll', 're', 've'])

/** Limit of the stem cache, so that hostile text cannot fill memory. */
const STEMS_KEPT = 65_536
/** Longer runs are identifiers or encoded data and are not stemmed. */
const STEMMED_LENGTH_MAX = 40
const stems = new Map<string, string>()

/**
 * The stems of a text, in order, without stop words: NFKC, lower case, runs of letters, digits and marks.
 * Latin words lose their accents and are stemmed with Porter2
 * (https://snowballstem.org/algorithms/english/stemmer.html), runs of unspaced scripts become pairs of
 * neighboring characters, and words of other scripts stay whole. Indexing, querying, training and sentence
 * scoring all use this function, so they agree on words.
 */
export function tokenize(text: string): string[] {
  const tokens: string[] = []
  const plain = text.normalize('NFKC').toLowerCase()
  let start = -1
  let ascii = true
  for (let at = 0; at <= plain.length; at++) {
    const code = at < plain.length ? plain.charCodeAt(at) : 32
    if (isWordCharacter(plain, at, code)) {
      if (start < 0) start = at
      if (code >= 128) ascii = false
      continue
    }
    if (start >= 0) pushRun(tokens, plain, start, at, ascii)
    start = -1
    ascii = true
  }
  return tokens
}

/** Whether each character below U+10000 is part of a word, once asked: 1 for yes, 2 for no. A pattern takes 2 µs. */
const wordCharacters = new Uint8Array(0x1_0000)

function isWordCharacter(text: string, at: number, code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
  // A low surrogate belongs to its high surrogate's character.
  if (code >= 0xdc00 && code <= 0xdfff) return at > 0 && WORD_CHARACTER.test(characterAt(text, at - 1))
  if (code >= 0xd800 && code <= 0xdbff) return WORD_CHARACTER.test(characterAt(text, at))
  const known = wordCharacters[code] || (WORD_CHARACTER.test(characterAt(text, at)) ? 1 : 2)
  wordCharacters[code] = known
  return known === 1
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 32)
}

function pushRun(tokens: string[], text: string, start: number, end: number, ascii: boolean): void {
  const run = text.slice(start, end)
  if (run.length <= 2 && start > 1 && isApostrophe(text.charCodeAt(start - 1)) && CONTRACTION_ENDS.has(run)) {
    if (isWordCharacter(text, start - 2, text.charCodeAt(start - 2))) return
  }
  if (ascii) pushStem(tokens, run)
  else pushOtherScripts(tokens, run)
}

function isApostrophe(code: number): boolean {
  return code === 0x27 || code === 0x2019
}

function pushStem(tokens: string[], word: string): void {
  let found = stems.get(word)
  if (found === undefined) {
    found = STOP_WORDS.has(word) ? '' : stemWord(word)
    if (stems.size >= STEMS_KEPT) stems.clear()
    stems.set(word, found)
  }
  if (found !== '') tokens.push(found)
}

function stemWord(word: string): string {
  return word.length > STEMMED_LENGTH_MAX ? word : stem(word)
}

/** A run with characters beyond ASCII: pairs for unspaced scripts, words in between. */
function pushOtherScripts(tokens: string[], run: string): void {
  let at = 0
  for (const match of run.matchAll(UNSPACED_RUN)) {
    if (match.index > at) pushWord(tokens, run.slice(at, match.index))
    pushPairs(tokens, match[0])
    at = match.index + match[0].length
  }
  if (at < run.length) pushWord(tokens, run.slice(at))
}

function pushWord(tokens: string[], word: string): void {
  const folded = LATIN_LETTER.test(word) ? foldLatin(word) : word
  if (ASCII_WORD.test(folded)) pushStem(tokens, folded)
  else tokens.push(folded)
}

function foldLatin(word: string): string {
  return word
    .normalize('NFD')
    .replace(MARKS, '')
    .replace(LATIN_SPELLED, (letter) => LATIN_SPELLINGS[letter] ?? letter)
    .normalize('NFC')
}

function pushPairs(tokens: string[], run: string): void {
  const characters = [...run]
  const first = characters[0]
  if (characters.length === 1 && first !== undefined) tokens.push(first)
  for (let at = 1; at < characters.length; at++) tokens.push(`${characters[at - 1]}${characters[at]}`)
}
