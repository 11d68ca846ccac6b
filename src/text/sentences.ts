import { inOneGo, type Pausable } from '../kernel/cooperative.ts'
import { isSpace } from './words.ts'

/** A terminator with closing marks; wide ones, from U+3002 on, need no following space. */
const TERMINATOR =
  /[.!?\u2026\u0964\u0965\u061f\u06d4\u0589\u1362\u104b\u17d4\u203c\u2047-\u2049\u3002\uff01\uff1f\uff61\uff0e][.!?\u2026"')\]}*_`\u2019\u201d\u00bb\u203a\u3002\uff01\uff1f\u300d\u300f\u3011\uff09\u3009\u300b]*/g
const FIRST_WIDE = 0x3002

/** Abbreviations that do not end a sentence: a name or the rest of the phrase follows. */
const ABBREVIATIONS = new Set(
  (
    'dr mr mrs ms mx prof st sr jr sra srta vs inc ltd corp approx dept est al cf ca gen col lt sgt capt cmdr rev hon ' +
    'gov pres rep sen mt ft messrs mme mlle bzw vgl evtl inkl ggf hr sog sig dott ing dipl resp incl excl viz eg ie'
  ).split(' '),
)
/** Abbreviations only before a number ("No. 5", "Fig. 2", "Jan. 3"); elsewhere they may end a sentence. */
const BEFORE_NUMBER = new Set(
  'no nos nr fig figs eq eqs vol p pp ch sec art abb abs tab ver v jan feb mar apr jun jul aug sep sept oct nov dec'.split(
    ' ',
  ),
)
const LOWER = /\p{Ll}/u
const TOKEN_CHARACTERS_MAX = 12

function isAsciiDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** The word that ends right before `dot`, with inner dots, up to 12 characters; `''` if longer. */
function tokenBefore(text: string, start: number, dot: number): string {
  let at = dot
  while (at > start && dot - at <= TOKEN_CHARACTERS_MAX) {
    const code = text.charCodeAt(at - 1)
    if (isSpace(code) || code === 40 || code === 91 || code === 34) break
    at--
  }
  return dot - at > TOKEN_CHARACTERS_MAX ? '' : text.slice(at, dot)
}

/** Whether the full stop at `dot` belongs to the word before it rather than to the sentence. */
function isAbbreviation(text: string, start: number, dot: number, next: number): boolean {
  const token = tokenBefore(text, start, dot)
  if (token === '') return false
  // "J. Smith", "e.g. this", "U.S. law", and the number of a list item at its start.
  if (token.length === 1 && /\p{Lu}/u.test(token)) return true
  if (/^\p{L}(?:\.\p{L}){1,4}$/u.test(token)) return true
  if (dot - token.length <= start && /^\d+$/.test(token)) return true
  const word = token.toLowerCase()
  return ABBREVIATIONS.has(word) || (BEFORE_NUMBER.has(word) && isAsciiDigit(text.charCodeAt(next)))
}

function skipSpaces(text: string, from: number, end: number): number {
  let at = from
  while (at < end && isSpace(text.charCodeAt(at))) at++
  return at
}

/** Finds the sentences of a short text in one go. */
export function sentenceStarts(body: string, from: number, to: number): number[] {
  return inOneGo(findingSentenceStarts(body, from, to))
}

/**
 * The offsets at which the sentences of `body` between `from` and `to` begin, `from` first. Follows UAX #29 (a
 * terminator, its closing marks, a space, and no lower-case letter after it; wide terminators need no space), but
 * does not split after abbreviations of European languages. Text without terminators is one sentence. Intl.Segmenter
 * costs many times as much and splits after "Dr.".
 */
export function* findingSentenceStarts(body: string, from: number, to: number): Pausable<number[]> {
  // A slice, so that the pattern never searches beyond `to`.
  const text = body.slice(from, to)
  const starts = [from]
  let sentence = 0
  // The position is local, because the pattern is shared with other callers that run during a pause.
  for (let at = 0; ;) {
    TERMINATOR.lastIndex = at
    const match = TERMINATOR.exec(text)
    if (match === null) break
    at = match.index + match[0].length
    yield
    const next = startAfter(text, sentence, match.index, at)
    if (next === text.length) break
    if (next === undefined) continue
    starts.push(from + next)
    sentence = next
  }
  return starts
}

/** The offset of the next sentence if the mark at `mark`, with its closing marks up to `after`, ends one. */
function startAfter(text: string, sentence: number, mark: number, after: number): number | undefined {
  const next = skipSpaces(text, after, text.length)
  if (next === text.length || text.charCodeAt(mark) >= FIRST_WIDE) return next
  if (next === after) return undefined
  const code = text.charCodeAt(next)
  if (code < 128 ? code >= 97 && code <= 122 : LOWER.test(text.charAt(next))) return undefined
  const isSingleStop = text.charCodeAt(mark) === 46 && after === mark + 1
  return isSingleStop && isAbbreviation(text, sentence, mark, next) ? undefined : next
}
