/** Words per character of CJK text: a Chinese or Japanese word averages one and a half characters. */
const WORDS_PER_CJK_CHARACTER = 0.65
/** Words per character of South-East Asian scripts without spaces (Thai, Lao, Burmese, Khmer). */
const WORDS_PER_UNSPACED_CHARACTER = 0.25
/** A run without spaces counts as another word per this many characters, so that base64 is not one word. */
const LONG_RUN_CHARACTERS = 40

/** Whether a character is white space, as `String.prototype.trim` removes it. */
export function isSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13)
  if (code < 0xa0) return false
  return (
    code === 0xa0 ||
    code === 0xfeff ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  )
}

function isCjk(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x31f0 && code <= 0x31ff)
  )
}

function isUnspaced(code: number): boolean {
  return (
    (code >= 0x0e00 && code <= 0x0eff) ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff)
  )
}

/** Whether a character can begin a word: a letter, digit or symbol, not punctuation. */
function beginsWord(code: number): boolean {
  if (code < 128) {
    return (
      (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
    )
  }
  return !(
    (code >= 0x2010 && code <= 0x2027) ||
    (code >= 0x2030 && code <= 0x205e) ||
    (code >= 0x3001 && code <= 0x303f) ||
    (code >= 0xff00 && code <= 0xff0f) ||
    code === 0xff1a ||
    code === 0xff1b ||
    code === 0xff1f
  )
}

/** Where a count stopped and how many words it saw. Words are fractional in scripts without spaces. */
export interface WordCount {
  words: number
  end: number
}

/** Counts the words of `text` from `start` as a reader would. Stops before exceeding `wordsMax`, or at `end`. */
export function countWords(text: string, start: number, end: number, wordsMax = Infinity): WordCount {
  let words = 0
  let runStart = -1
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    let added = 0
    if (isSpace(code)) runStart = -1
    else if (code >= 0x0e00 && isCjk(code)) {
      added = WORDS_PER_CJK_CHARACTER
      runStart = -1
    } else if (code >= 0x0e00 && isUnspaced(code)) {
      added = WORDS_PER_UNSPACED_CHARACTER
      runStart = -1
    } else if (runStart === -1) {
      if (beginsWord(code)) {
        added = 1
        runStart = at
      }
    } else if ((at - runStart) % LONG_RUN_CHARACTERS === 0) added = 1
    if (words + added > wordsMax) return { words, end: at }
    words += added
  }
  return { words, end }
}
