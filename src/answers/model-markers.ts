import { createMarkerFilter, type MarkerFilter } from './citations.ts'

/** Markers that some models write instead of the requested `[N]`: `【1】`, `【1, 2】`, `【1†source】`, `[1†L3-L5]`. */
const FOREIGN =
  /[【［](\s?\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,9}\s?)(?:†[^\][【】［］\n]{0,80})?[】］]|\[(\d{1,3})†[^\][【】［］\n]{0,80}\]/g
const BEGUN = /[[【［][\d\s,;–-]*(?:†[^\][【】［］\n]*)?$/
/** The length of the longest of these markers. */
const HELD_CHARACTERS_MAX = 150

/** The filter of {@link createMarkerFilter} for a model's text, which also reads markers that models learned elsewhere. */
export function createModelMarkerFilter(hitCount: number): MarkerFilter {
  const filter = createMarkerFilter(hitCount)
  let held = ''
  return {
    push(piece) {
      const text = (held + piece).replaceAll(FOREIGN, '[$1$2]')
      const tail = BEGUN.exec(text.slice(-HELD_CHARACTERS_MAX))?.[0] ?? ''
      held = tail
      return filter.push(text.slice(0, text.length - tail.length))
    },
    end: () => filter.push(held) + filter.end(),
  }
}
