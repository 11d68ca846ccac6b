/** A passage within the text that it is from, as far as that is shown. */
export interface LocatedPassage {
  before: string
  passage: string
  after: string
  /** Whether the text goes on before and after what is shown. */
  isCutBefore: boolean
  isCutAfter: boolean
}

/** Text around a passage that is shown at first; the whole of a long document would have to be laid out for nothing. */
const AROUND = { before: 4_000, after: 12_000 }

/**
 * Where a passage stands in a text: chunks are cut out of it unchanged. Null when it is not there any more, because the
 * document has changed since.
 */
export function locatePassage(body: string, passage: string, isWhole: boolean): LocatedPassage | null {
  const start = body.indexOf(passage)
  if (passage === '' || start === -1) return null
  const end = start + passage.length
  const from = isWhole ? 0 : lineStart(body, Math.max(0, start - AROUND.before), start)
  const to = isWhole ? body.length : Math.min(body.length, end + AROUND.after)
  return {
    before: body.slice(from, start),
    passage,
    after: body.slice(end, to),
    isCutBefore: from > 0,
    isCutAfter: to < body.length,
  }
}

/** The beginning of a text without a passage in it. */
export function beginningOf(body: string, isWhole: boolean): { text: string; isCut: boolean } {
  const length = AROUND.before + AROUND.after
  const isCut = !isWhole && body.length > length
  return { text: isCut ? body.slice(0, length) : body, isCut }
}

/** The first beginning of a line at `from` or later; `from` where there is none before `limit`. */
function lineStart(body: string, from: number, limit: number): number {
  if (from === 0) return 0
  const end = body.indexOf('\n', from)
  return end === -1 || end >= limit ? from : end + 1
}
