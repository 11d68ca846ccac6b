/** A piece of a text, and whether it is one of the words that were looked for. */
export interface TextPiece {
  /** Where it begins in the text. */
  from: number
  text: string
  isMatch: boolean
}

const WORD = /[\p{L}\p{N}]+/gu
/** Words that nearly every text has, which do not explain a hit. */
const COMMON = new Set(
  `a about after all am an and any are as at be been before but by can could did do does for from get had has have how i
   if in into is it its may me my no not of on or our out shall should so than that the their them then there these they
   this those to up us was we were what when where which who whom whose why will with would you your`.split(
    /\s+/,
  ),
)

/** The words of a query by which a passage is marked; none where it has only common ones. */
export function wordsToMark(query: string): ReadonlySet<string> {
  const words = (query.match(WORD) ?? []).map((word) => word.toLowerCase())
  return new Set(words.filter((word) => !COMMON.has(word)).map(stemOf))
}

/** A text in pieces, the words that were looked for apart. Linear in the text. */
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
 * The part of a passage that shows why it was found: from a little before the first of the words on, on one line.
 * @param length characters, about
 */
export function excerptOf(text: string, words: ReadonlySet<string>, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const first = markWords(line, words).find(({ isMatch }) => isMatch)?.from ?? 0
  const wanted = Math.min(first - length / 4, line.length - length)
  const from = wanted <= 0 ? 0 : line.indexOf(' ', wanted) + 1
  const excerpt = line.slice(from, from + length).trimEnd()
  return `${from > 0 ? '… ' : ''}${excerpt}${from + length < line.length ? '…' : ''}`
}

/** "days" marks "day" too; more than that would mark what is another word. */
function stemOf(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
