import { isForeignStop } from '../src/inference/embedding-models/builtin/foreign-stop-words.ts'
import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'
import type { Pairs, Texts } from './contrast.ts'
import { isWordLike } from './corpus.ts'
import type { PairKind, TextPair } from './extract-pairs.ts'

/** Pairs as numbers of stems, and the number of pairs of each kind. */
export interface PairCorpus {
  names: string[]
  /** Pairs in which a stem occurs. */
  occurrences: Uint32Array
  left: Numbered
  right: Numbered
  kinds: PairKind[]
}

/** Texts as numbers of stems: text `i` is entries `starts[i]` to `starts[i + 1]`. */
export interface Numbered {
  starts: Uint32Array
  ids: Uint32Array
}

/** Text further down says less about the subject and costs as much. */
const STEMS_MAX = 60
/** Draw rates by kind: lower for frequent kinds, higher for rare ones. */
const SHARES: Readonly<Record<PairKind, number>> = {
  gloss: 1,
  example: 1,
  related: 0.5,
  heading: 1,
  sentence: 0.6,
  name: 1,
  message: 1.5,
  label: 4,
}

/** Numbers the stems of all pairs, without pairs that have an empty side or the same text on both. */
export function gatherPairs(pairs: Iterable<TextPair>): PairCorpus {
  const numbers = new Map<string, number>()
  const occurrences: number[] = []
  const left = createBuilder()
  const right = createBuilder()
  const kinds: PairKind[] = []
  const numberOf = (stem: string): number => {
    const number = numbers.get(stem) ?? numbers.size
    if (number === numbers.size) numbers.set(stem, number)
    return number
  }
  for (const pair of pairs) {
    const [a, b] = [stemsOf(pair.left), stemsOf(pair.right)]
    if (a.length === 0 || b.length === 0 || a.join(' ') === b.join(' ')) continue
    for (const stem of new Set([...a, ...b]))
      occurrences[numberOf(stem)] = (occurrences[numberOf(stem)] ?? 0) + 1
    left.add(a.map(numberOf))
    right.add(b.map(numberOf))
    kinds.push(pair.kind)
  }
  return {
    names: [...numbers.keys()],
    occurrences: Uint32Array.from(occurrences),
    left: left.finish(),
    right: right.finish(),
    kinds,
  }
}

function stemsOf(text: string): string[] {
  return tokenize(text)
    .filter((stem) => !isForeignStop(stem))
    .slice(0, STEMS_MAX)
}

function createBuilder(): { add(ids: readonly number[]): void; finish(): Numbered } {
  const starts = [0]
  let ids = new Uint32Array(1 << 20)
  let length = 0
  return {
    add(added) {
      if (length + added.length > ids.length) {
        const larger = new Uint32Array(2 * ids.length)
        larger.set(ids)
        ids = larger
      }
      ids.set(added, length)
      length += added.length
      starts.push(length)
    },
    finish: () => ({ starts: Uint32Array.from(starts), ids: ids.slice(0, length) }),
  }
}

/** The `size` stems beyond `known` in the most pairs, at least two, ties in the order of code units. */
export function furtherStems(pairs: PairCorpus, known: readonly string[], size: number): string[] {
  const has = new Set(known)
  const often = (id: number): number => pairs.occurrences[id] ?? 0
  const name = (id: number): string => pairs.names[id] ?? ''
  return [...pairs.names.keys()]
    .filter((id) => often(id) > 1 && !has.has(name(id)) && isWordLike(name(id)))
    .toSorted((a, b) => often(b) - often(a) || (name(a) < name(b) ? -1 : 1))
    .slice(0, size)
    .map(name)
}

/** The pairs as rows of word vectors; a stem weighs the square root of its count in a text. */
export function pairsInRows(pairs: PairCorpus, stems: readonly string[]): Pairs {
  const rows = new Map(stems.map((stem, row) => [stem, row]))
  const rowOf = Int32Array.from(pairs.names, (name) => rows.get(name) ?? -1)
  const left = inRows(pairs.left, rowOf)
  const right = inRows(pairs.right, rowOf)
  const shares = Float64Array.from(pairs.kinds, (kind, pair) =>
    isEmpty(left, pair) || isEmpty(right, pair) ? 0 : SHARES[kind],
  )
  return { left, right, shares }
}

function isEmpty({ starts }: Texts, pair: number): boolean {
  return starts[pair] === starts[pair + 1]
}

function inRows({ starts, ids }: Numbered, rowOf: Int32Array): Texts {
  const newStarts = new Uint32Array(starts.length)
  const rows = new Uint32Array(ids.length)
  const counts = new Float32Array(ids.length)
  let length = 0
  for (let text = 0; text + 1 < starts.length; text++) {
    const times = new Map<number, number>()
    for (const id of ids.subarray(starts[text], starts[text + 1])) {
      const row = rowOf[id] ?? -1
      if (row >= 0) times.set(row, (times.get(row) ?? 0) + 1)
    }
    for (const [row, count] of times) {
      rows[length] = row
      counts[length++] = Math.sqrt(count)
    }
    newStarts[text + 1] = length
  }
  return { starts: newStarts, rows: rows.slice(0, length), counts: counts.slice(0, length) }
}
