import type { SlackOlder, SlackStretch } from '../reading/cursor.ts'
import { hourOf } from '../reading/messages.ts'
import type { HistoryBlock } from './blocks.ts'
import { addToTally, emptyTally, type Tally } from './marks.ts'

/** A stretch with its upper edge, an excluded hour. */
export interface Region extends SlackStretch {
  before: number
}

/** Splits at an hour: the stretches at or above it, and the regions below it, newest first. */
export function splitOlder(older: SlackOlder, at: number): { above: SlackStretch[]; below: Region[] } {
  const known = at > older.to ? [unknownStretch(older.to), ...older.stretches] : [...older.stretches]
  if ((known.at(-1)?.from ?? older.to) > 0) known.push(unknownStretch(0))
  const above = known.filter(({ from }) => from >= at)
  const below = known.filter(({ from }) => from < at)
  const top = above.at(-1)?.from ?? Math.max(at, older.to)
  if (top > at) {
    // Cut in two: neither half's mark is known.
    above.push(unknownStretch(at))
    if (below[0]) below[0] = unknownStretch(below[0].from)
  }
  let before = at
  const regions = below.map(({ from, count, mark, roots }) => {
    const region = { from, before, count, mark, roots }
    before = from
    return region
  })
  return { above, below: regions }
}

export const unknownStretch = (from: number): SlackStretch => ({ from, count: 0, mark: '', roots: '' })

/** A tally as a stretch that begins at an hour. */
export const stretchOf = (from: number, tally: Tally): SlackStretch => ({
  from,
  count: tally.count,
  mark: tally.bits.toString(16),
  roots: tally.rootBits.toString(16),
})

export interface StretchCollector {
  /** Blocks newest first. */
  add(block: HistoryBlock): void
  /** One stretch per added hour, the last one down to `from`; with `known` false none can be compared. */
  take(from: number, known: boolean): SlackStretch[]
}

export function collectStretches(): StretchCollector {
  let hours: { from: number; tally: Tally }[] = []
  return {
    add: ({ from, messages }) => {
      const last = hours.at(-1)
      const hour = last?.from === hourOf(from) ? last : { from: hourOf(from), tally: emptyTally() }
      if (hour !== last) hours.push(hour)
      addToTally(hour.tally, messages)
    },
    take: (from, known) => {
      const last = hours.at(-1) ?? { from, tally: emptyTally() }
      if (hours.length === 0) hours.push(last)
      last.from = from
      const stretches = hours.map((hour) => stretchOf(hour.from, hour.tally))
      hours = []
      return known ? stretches : [unknownStretch(from)]
    },
  }
}

/** Joins neighbors that together hold at most `largest` messages. */
export function joinStretches(stretches: readonly SlackStretch[], largest: number): SlackStretch[] {
  const joined: SlackStretch[] = []
  for (const stretch of stretches) {
    const last = joined.at(-1)
    const both = last && joinTwo(last, stretch, largest)
    if (both) joined[joined.length - 1] = both
    else joined.push(stretch)
  }
  return joined
}

const xorHex = (left: string, right: string) => BigInt(`0x${left}`) ^ BigInt(`0x${right}`)

function joinTwo(upper: SlackStretch, lower: SlackStretch, largest: number): SlackStretch | null {
  if (upper.roots === '' && lower.roots === '') return unknownStretch(lower.from)
  const count = upper.count + lower.count
  if (upper.mark === '' || lower.mark === '' || count > largest) return null
  return stretchOf(lower.from, {
    count,
    bits: xorHex(upper.mark, lower.mark),
    rootBits: xorHex(upper.roots, lower.roots),
  })
}
