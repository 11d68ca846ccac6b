import type { Pausable } from '../kernel/cooperative.ts'
import { countWords, isSpace } from '../text/words.ts'

/** Largest fragment of a text without usable sentence boundaries; several make a chunk. */
const FRAGMENT_WORDS_MAX = 100
const FRAGMENT_CHARACTERS_MAX = 1_000
/** Text beyond the cut that the segmenters see, so that they can judge the boundary in context. */
const SEGMENTER_LOOKAHEAD = 64

// A fixed locale: the same text is cut the same way on every machine.
const wordSegmenter = new Intl.Segmenter('en', { granularity: 'word' })
const graphemeSegmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const CLAUSE_MARKS = ',;:)\u2014\u2013\u060c\u061b\u3001\uff0c\uff1b\uff1a'

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** The last line end, clause end or space in the second half of the window, in this order of preference; -1: none. */
function lastSpaceCut(text: string, start: number, limit: number): number {
  const half = start + Math.floor((limit - start) / 2)
  let clause = -1
  let space = -1
  for (let at = limit; at > half; at--) {
    const code = text.charCodeAt(at - 1)
    if (code === 10) return at
    if (clause === -1 && CLAUSE_MARKS.includes(text.charAt(at - 1))) {
      if (code > 0x3000 || at >= text.length || isSpace(text.charCodeAt(at))) clause = at
    }
    if (space === -1 && isSpace(code)) space = at
  }
  return clause !== -1 ? clause : space
}

/** A cut inside a run without spaces: between words, else between grapheme clusters, else between code points. */
function cutInsideRun(text: string, start: number, limit: number): number {
  const window = text.slice(start, limit + SEGMENTER_LOOKAHEAD)
  const offset = limit - start
  const word = wordSegmenter.segment(window).containing(offset)?.index ?? 0
  if (word > offset / 2) return start + word
  const grapheme = graphemeSegmenter.segment(window).containing(offset)?.index ?? 0
  if (grapheme > 0) return start + grapheme
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit
}

/**
 * Where to cut the text between `start` and `end` so that no fragment has more than 100 words or 1,000
 * characters: the fragments' beginnings, `start` first. For text without sentence boundaries: logs,
 * hard-wrapped lists, Thai, base64. Never cuts inside a surrogate pair; cuts inside a grapheme cluster only
 * if it alone fills a fragment. Linear time.
 */
export function* findingFragmentStarts(text: string, start: number, end: number): Pausable<number[]> {
  const starts = [start]
  let from = start
  for (;;) {
    yield
    const charactersEnd = Math.min(end, from + FRAGMENT_CHARACTERS_MAX)
    const limit = countWords(text, from, charactersEnd, FRAGMENT_WORDS_MAX).end
    if (limit >= end) return starts
    const spaced = lastSpaceCut(text, from, limit)
    from = spaced !== -1 ? spaced : cutInsideRun(text, from, limit)
    starts.push(from)
  }
}
