import type { Citation, Hit } from '../retrieval/index.ts'

/** `[1]`, `[1, 2]`, `[1-3]`, `[^1]`, with the spaces before it, which go when it goes. */
const MARKER = /([ \t]*)\[\s*(\^?\d+(?:\s*[–-]\s*\d+)?(?:\s*[,;]\s*\^?\d+(?:\s*[–-]\s*\d+)?)*)\s*\]/g
/** The end of a text that may become a marker with what comes next. */
const BEGUN_MARKER = /[ \t]*\[[[\s\d^,;–-]*$|[ \t]+$/

/** Takes a model's text piece by piece and gives it back with markers made plain and those that point nowhere gone. */
export interface MarkerFilter {
  /** What of the answer is settled after this piece; may be empty, as a marker can be split over pieces. */
  push(piece: string): string
  /** What is left at the end. */
  end(): string
}

/**
 * A filter for an answer about `hitCount` hits. Every marker that leaves it is `[N]` with N from 1 to `hitCount`:
 * `[1, 2]` and `[1-2]` become `[1][2]`, and numbers beyond the hits are removed, wherever they stand.
 */
export function createMarkerFilter(hitCount: number): MarkerFilter {
  let held = ''
  return {
    push(piece) {
      held = cleanMarkers(held + piece, hitCount)
      const from = BEGUN_MARKER.exec(held)?.index ?? held.length
      const settled = held.slice(0, from)
      held = held.slice(from)
      return settled
    },
    end() {
      const rest = held
      held = ''
      return rest
    },
  }
}

/** Until nothing changes, since taking a marker out can join what stood around it to another one. */
function cleanMarkers(text: string, hitCount: number): string {
  for (let before = text; ;) {
    const after = before.replaceAll(MARKER, (_marker, space: string, list: string) => {
      const valid = listedNumbers(list, hitCount)
      return valid.length === 0 ? '' : `${space}${valid.map((index) => `[${index}]`).join('')}`
    })
    if (after === before) return after
    before = after
  }
}

/** The numbers of a marker's list that point to a hit, ranges written out, each once. */
function listedNumbers(list: string, hitCount: number): number[] {
  const numbers = new Set<number>()
  for (const part of list.replaceAll(/[\s^]/g, '').split(/[,;]/)) {
    const ends = part.split(/[–-]/).map(Number)
    const first = Math.max(1, ends[0] ?? 0)
    const last = Math.min(hitCount, ends.at(-1) ?? 0)
    for (let index = first; index <= last; index++) numbers.add(index)
  }
  return [...numbers]
}

/** The citations of an answer: the hits whose marker stands in it, in order of N. */
export function citationsOf(answer: string, hits: readonly Hit[]): Citation[] {
  const cited = new Set([...answer.matchAll(/\[(\d+)\]/g)].map((marker) => Number(marker[1])))
  return hits.flatMap((hit, at) => {
    return cited.has(at + 1) ? [{ index: at + 1, sourceItemId: hit.sourceItemId, title: hit.title }] : []
  })
}
