import type { Citation, Hit } from '../retrieval/index.ts'

/**
 * Text that is held back at most, in characters (UTF-16 units): no marker is longer. Brackets around more than that lose
 * their opening one, so that what comes later cannot make a marker of them.
 */
const HELD_CHARACTERS_MAX = 500

/**
 * How far a marker has come: `[1]`, `[1, 2]`, `[1-3]`, `[^1]`. A dead one has a character that no marker has; one with a gap
 * behind its `^` only lives on if that goes again, as blanks before a marker inside of it.
 */
type Progress = 'open' | 'caret' | 'gap' | 'number' | 'after' | 'dash' | 'last' | 'afterLast' | 'dead'
const COMPLETE: ReadonlySet<Progress> = new Set(['number', 'after', 'last', 'afterLast'])

/** A marker that has begun. */
interface Begun {
  /** Where the blanks before it begin in the held text: they go when it goes. */
  from: number
  bracket: number
  progress: Progress
  /** Where the blanks begin that the held text ends with, and how far the marker was there. */
  blanks: { from: number; progress: Progress } | null
}

/** Takes a model's text piece by piece and gives it back with markers made plain and those that point nowhere gone. */
export interface MarkerFilter {
  /** What of the answer is settled after this piece; may be empty, as a marker can be split over pieces. */
  push(piece: string): string
  /** What is left at the end. */
  end(): string
}

/**
 * A filter for an answer about `hitCount` hits. Every marker that leaves it is `[N]` with N from 1 to `hitCount`:
 * `[1, 2]` and `[1-2]` become `[1][2]`, and numbers beyond the hits are removed, wherever they stand, with the blanks before
 * them. Taking a marker out can join what stood around it to another one, so markers that have begun are kept on a stack.
 * Each character is looked at once, whatever the text and however it is cut into pieces.
 */
export function createMarkerFilter(hitCount: number): MarkerFilter {
  let held = ''
  let settled = ''
  const begun: Begun[] = []

  const settleHeld = (): void => {
    settled += held
    held = ''
    begun.length = 0
  }

  const close = (marker: Begun): void => {
    const valid = listedNumbers(held.slice(marker.bracket + 1), hitCount)
    if (valid.length > 0) {
      held = held.slice(0, marker.bracket) + valid.map((index) => `[${index}]`).join('')
      return settleHeld()
    }
    held = held.slice(0, marker.from)
    begun.pop()
    const around = begun.at(-1)
    if (around?.blanks) {
      around.progress = around.blanks.progress
      around.blanks = null
    }
  }

  const outside = (character: string): void => {
    if (!isBlank(character)) {
      held += character
      settleHeld()
    } else if (held.length < HELD_CHARACTERS_MAX) held += character
    else settled += character
  }

  const read = (character: string): void => {
    const marker = begun.at(-1)
    if (character === '[') {
      begun.push(begin(marker, held.length))
      held += character
    } else if (marker === undefined) return outside(character)
    else if (character === ']' && COMPLETE.has(marker.progress)) return close(marker)
    else {
      const progress = progressAfter(marker.progress, character)
      if (progress === 'dead') {
        settleHeld()
        return outside(character)
      }
      if (!isBlank(character)) marker.blanks = null
      else marker.blanks ??= { from: held.length, progress: marker.progress }
      marker.progress = progress
      held += character
    }
    if (held.length <= HELD_CHARACTERS_MAX) return
    held = held.replaceAll('[', '')
    settleHeld()
  }

  return {
    push(piece) {
      settled = ''
      // By UTF-16 unit: none of a surrogate pair's halves is of a marker.
      for (let at = 0; at < piece.length; at++) {
        const plain = held === '' ? plainEnd(piece, at) : at
        settled += piece.slice(at, plain)
        at = plain
        if (at < piece.length) read(piece.charAt(at))
      }
      return settled
    },
    end() {
      settled = ''
      settleHeld()
      return settled
    },
  }
}

/** A marker that begins at `bracket`, inside of another or not. The blanks before it are its own. */
function begin(around: Begun | undefined, bracket: number): Begun {
  // Outside of any marker nothing but blanks is held.
  const from = around === undefined ? 0 : (around.blanks?.from ?? bracket)
  return { from, bracket, progress: 'open', blanks: null }
}

/** Where the run from `at` on ends that has neither blanks nor brackets. */
function plainEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && !isBlank(text.charAt(end)) && text.charCodeAt(end) !== 91) end++
  return end
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t'
}

function progressAfter(progress: Progress, character: string): Progress {
  if (character >= '0' && character <= '9') {
    if (progress === 'open' || progress === 'caret' || progress === 'number') return 'number'
    return progress === 'dash' || progress === 'last' ? 'last' : 'dead'
  }
  if (character.trim() === '') {
    if (progress === 'number') return 'after'
    if (progress === 'last') return 'afterLast'
    return progress === 'caret' ? 'gap' : progress
  }
  if (character === '^') return progress === 'open' ? 'caret' : 'dead'
  if (character === ',' || character === ';') return COMPLETE.has(progress) ? 'open' : 'dead'
  const isDash = character === '-' || character === '–'
  return isDash && (progress === 'number' || progress === 'after') ? 'dash' : 'dead'
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

/** A text in which nothing reads as a marker, inside of another one either; only an answer itself may set those. */
export function withoutMarkers(text: string): string {
  const filter = createMarkerFilter(0)
  return filter.push(text) + filter.end()
}

/** The citations of an answer: the hits whose marker stands in it, in order of N. */
export function citationsOf(answer: string, hits: readonly Hit[]): Citation[] {
  const cited = new Set([...answer.matchAll(/\[(\d+)\]/g)].map((marker) => Number(marker[1])))
  return hits.flatMap((hit, at) => {
    return cited.has(at + 1) ? [{ index: at + 1, sourceItemId: hit.sourceItemId, title: hit.title }] : []
  })
}
