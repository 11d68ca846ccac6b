/** A passage within the visible part of its text. */
export interface LocatedPassage {
  before: string
  passage: string
  after: string
  /** Whether the text continues before or after the visible part. */
  isCutBefore: boolean
  isCutAfter: boolean
}

/** Characters shown around a passage at first: the layout of a whole long document is slow. */
const AROUND = { before: 4_000, after: 12_000 }

/** Finds a passage in its text, which contains chunks unchanged; null if the document has changed. */
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

/** The start of a text, for when there is no passage to show. */
export function beginningOf(body: string, isWhole: boolean): { text: string; isCut: boolean } {
  const length = AROUND.before + AROUND.after
  const isCut = !isWhole && body.length > length
  return { text: isCut ? body.slice(0, length) : body, isCut }
}

/** The first line start after `from`; `from` if there is none before `limit`. */
function lineStart(body: string, from: number, limit: number): number {
  if (from === 0) return 0
  const end = body.indexOf('\n', from)
  return end === -1 || end >= limit ? from : end + 1
}
