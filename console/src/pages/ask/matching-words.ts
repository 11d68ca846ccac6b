/** A piece of a text. `isMatch`: it is a word of the query. */
export interface TextPiece {
  /** The offset in the text. */
  from: number
  text: string
  isMatch: boolean
}

const WORD = /[\p{L}\p{N}]+/gu
/** Stop words, which do not explain a hit. */
const COMMON = new Set(
  `a about after all am an and any are as at be been before but by can could did do does for from get had has have how i
   if in into is it its may me my no not of on or our out shall should so than that the their them then there these they
   this those to up us was we were what when where which who whom whose why will with would you your`.split(
    /\s+/,
  ),
)

/** The query's words to highlight in a passage. Empty if all are stop words. */
export function wordsToMark(query: string): ReadonlySet<string> {
  const words = (query.match(WORD) ?? []).map((word) => word.toLowerCase())
  return new Set(words.filter((word) => !COMMON.has(word)).map(stemOf))
}

/** Splits a text into matching words and the text between them, in linear time. */
export function markWords(text: string, words: ReadonlySet<string>): TextPiece[] {
  const pieces: TextPiece[] = []
  let plainFrom = 0
  for (const found of words.size === 0 ? [] : text.matchAll(WORD)) {
    const [word] = found
    if (!words.has(stemOf(word.toLowerCase()))) continue
    if (found.index > plainFrom)
      pieces.push({ from: plainFrom, text: text.slice(plainFrom, found.index), isMatch: false })
    pieces.push({ from: found.index, text: word, isMatch: true })
    plainFrom = found.index + word.length
  }
  if (plainFrom < text.length) pieces.push({ from: plainFrom, text: text.slice(plainFrom), isMatch: false })
  return pieces
}

/**
 * The part of a passage that shows why it matches, on one line: the first one with the most different words of the query.
 * @param length the approximate length in characters
 */
export function excerptOf(text: string, words: ReadonlySet<string>, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const lead = length / 10
  const start = densestMatch(
    markWords(line, words).filter(({ isMatch }) => isMatch),
    length - lead,
  )
  const wanted = Math.min(start - lead, line.length - length)
  const from = wanted <= 0 ? 0 : line.indexOf(' ', wanted) + 1
  const excerpt = line.slice(from, from + length).trimEnd()
  return `${from > 0 ? '… ' : ''}${excerpt}${from + length < line.length ? '…' : ''}`
}

/** The offset of the match with the most different words within `reach` characters; the first one of equals. */
function densestMatch(matches: readonly TextPiece[], reach: number): number {
  let best = { from: 0, words: 0 }
  for (const { from } of matches) {
    const near = matches.filter((one) => one.from >= from && one.from < from + reach)
    const words = new Set(near.map(({ text }) => stemOf(text.toLowerCase()))).size
    if (words > best.words) best = { from, words }
  }
  return best.from
}

/** Removes a plural "s", so that "days" also matches "day". A stronger stemmer would match other words. */
function stemOf(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
