import type { Citation } from '../context/index.ts'
import type { Hit } from '../retrieval/index.ts'

/** Limits held text, in UTF-16 units. A longer bracket loses its opening, so that no later text completes a marker. */
const HELD_CHARACTERS_MAX = 500

/**
 * The state of a partial marker: `[1]`, `[1, 2]`, `[1-3]`, `[^1]`. `dead`: it contains a character that no marker has.
 * `gap`: a blank after `^`, valid only if it is removed as the blank before a nested marker.
 */
type Progress = 'open' | 'caret' | 'gap' | 'number' | 'after' | 'dash' | 'last' | 'afterLast' | 'dead'
const COMPLETE: ReadonlySet<Progress> = new Set(['number', 'after', 'last', 'afterLast'])

interface Begun {
  /** Start of the preceding blanks in the held text, which are removed with it. */
  from: number
  bracket: number
  progress: Progress
  /** Start of the held text's trailing blanks, and the state before them; null: none. */
  blanks: { from: number; progress: Progress } | null
}

/** Filters a model's text as it streams: normalizes markers and removes those that refer to no hit. */
export interface MarkerFilter {
  /** Returns the text that is final after this part. May be empty, because a marker can be split over parts. */
  push(piece: string): string
  end(): string
}

/**
 * A filter for an answer about `hitCount` hits. Every marker in its output is `[N]` with N from 1 to `hitCount`: `[1,
 * 2]` and `[1-2]` become `[1][2]`, and other numbers are removed with the blanks before them. Removing a marker can
 * join the text around it to a new one, so partial markers are on a stack. Each character is processed once, however
 * the text is split.
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
      // By UTF-16 unit, because no marker contains a surrogate.
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

/** Starts a possibly nested marker at `bracket`, including the blanks before it. */
function begin(around: Begun | undefined, bracket: number): Begun {
  // Outside a marker, only blanks are held.
  const from = around === undefined ? 0 : (around.blanks?.from ?? bracket)
  return { from, bracket, progress: 'open', blanks: null }
}

/** The end of the run from `at` without blanks and brackets. */
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

/** The numbers in a marker's list that refer to a hit, with ranges expanded and duplicates removed. */
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

/** Removes all markers, including nested ones, because only the answer may add markers. */
export function withoutMarkers(text: string): string {
  const filter = createMarkerFilter(0)
  return filter.push(text) + filter.end()
}

/** The citations of an answer: the hits whose markers it contains, in order of N. */
export function citationsOf(answer: string, hits: readonly Hit[]): Citation[] {
  const cited = new Set([...answer.matchAll(/\[(\d+)\]/g)].map((marker) => Number(marker[1])))
  return hits.flatMap((hit, at) => {
    return cited.has(at + 1) ? [{ index: at + 1, sourceItemId: hit.sourceItemId, title: hit.title }] : []
  })
}
