import type { SlackChannelState, SlackOlder, SlackState, SlackStretch } from './slack-cursor.ts'
import type { HistoryBlock } from './slack-history.ts'
import { addToTally, emptyTally, type Tally } from './slack-marks.ts'
import { blockStart, isOnTheHour, toTs } from './slack-messages.ts'

/** How far back each poll reads again, counted from a channel's newest message. */
const LOOK_BACK_SECONDS = 72 * 3600
const HOUR_SECONDS = 3600
/** A workspace has about this many stretches, and one more for each channel: that is what they take of the cursor. */
const STRETCHES = 1_500
/** Finer than this says nothing: an item is several messages. */
const SMALLEST_STRETCH = 100

/** Where a channel's look-back begins and its older history ends, on the edge of an hour. */
export const windowStart = (state: SlackChannelState): string =>
  state.newest === '' ? toTs(0) : blockStart(toTs(Number(state.newest) - LOOK_BACK_SECONDS))

/** The hour a `ts` falls into, in hours since the epoch. */
export const hourOf = (ts: string): number => Math.floor(Number(ts) / HOUR_SECONDS)

/** The `ts` an hour begins with. */
export const tsOfHour = (hour: number): string => toTs(hour * HOUR_SECONDS)

/** Older history between two hours, `from` <= hour < `before`, as one stretch of the cursor. `mark` and `roots` '' when unknown. */
export interface Region {
  from: number
  before: number
  count: number
  mark: string
  roots: string
}

/** The stretches at or above an hour, and those below it down to the channel's beginning as regions, newest first. */
export function splitOlder(older: SlackOlder, at: number): { above: SlackStretch[]; below: Region[] } {
  const known = at > older.to ? [unknownStretch(older.to), ...older.stretches] : [...older.stretches]
  if ((known.at(-1)?.[0] ?? older.to) > 0) known.push(unknownStretch(0))
  const above = known.filter(([from]) => from >= at)
  const below = known.filter(([from]) => from < at)
  const top = above.at(-1)?.[0] ?? Math.max(at, older.to)
  if (top > at) {
    // Cut in two: neither half's mark is known.
    above.push(unknownStretch(at))
    if (below[0]) below[0] = unknownStretch(below[0][0])
  }
  let before = at
  const regions = below.map(([from, count, mark, roots]) => {
    const region = { from, before, count, mark, roots }
    before = from
    return region
  })
  return { above, below: regions }
}

export const unknownStretch = (from: number): SlackStretch => [from, 0, '', '']

/** A tally as a stretch that begins with an hour. */
export const stretchOf = (from: number, tally: Tally): SlackStretch => [
  from,
  tally.count,
  tally.bits.toString(16),
  tally.rootBits.toString(16),
]

export interface StretchCollector {
  /** Blocks newest first. */
  add(block: HistoryBlock): void
  /** One stretch for each hour added since, the last one down to `from`; with `known` false none can be compared. */
  take(from: number, known: boolean): SlackStretch[]
}

/** Gathers what is read of older history, to be noted as stretches. */
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

/** The most messages a stretch should hold in a workspace of this size. */
export function largestStretch(state: SlackState): number {
  const messages = Object.values(state.channels)
    .flatMap((channel) => channel.older.stretches)
    .reduce((sum, [, count]) => sum + count, 0)
  return Math.max(SMALLEST_STRETCH, Math.ceil(messages / STRETCHES))
}

/** Joins neighbours that together hold no more than `largest` messages. */
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

/** The number of the turn that comes after all others so far. */
export const nextTurn = (state: SlackState): number =>
  Object.values(state.channels).reduce((last, { older }) => Math.max(last, older.turn), 0) + 1

/** Joins what has become small for the size of the workspace, in every channel, but for where comparing goes on. */
export function joinOlder(state: SlackState): void {
  const largest = largestStretch(state)
  for (const { older } of Object.values(state.channels)) {
    const above = older.stretches.filter(([from]) => from >= older.next)
    const below = older.stretches.slice(above.length)
    older.stretches = [...joinStretches(above, largest), ...joinStretches(below, largest)]
  }
}

function joinTwo(upper: SlackStretch, lower: SlackStretch, largest: number): SlackStretch | null {
  const [, upperCount, upperMark, upperRoots] = upper
  const [from, lowerCount, lowerMark, lowerRoots] = lower
  if (upperRoots === '' && lowerRoots === '') return unknownStretch(from)
  const count = upperCount + lowerCount
  if (upperMark === '' || lowerMark === '' || count > largest) return null
  return stretchOf(from, {
    count,
    bits: xorHex(upperMark, lowerMark),
    rootBits: xorHex(upperRoots, lowerRoots),
  })
}

/**
 * An hour is read again by itself: what was known of the look-back, or of the stretch it lies in, holds no longer. The answer
 * is to be called once all of the hour has been read; then the threads of the stretch's other hours are known as before.
 */
export function forgetHour(channel: SlackChannelState, from: string): () => void {
  const { stretches, to } = channel.older
  if (from >= windowStart(channel)) channel.window = ''
  const index = hourOf(from) < to ? stretches.findIndex(([start]) => start <= hourOf(from)) : -1
  const stretch = stretches[index]
  if (!stretch) return () => undefined
  const [start, count, , roots] = stretch
  stretches[index] = unknownStretch(start)
  return () => {
    stretches[index] = [start, count, '', roots]
  }
}

/** What a poll read of the hours that are no part of the look-back any more. */
export interface Leaving {
  from: string
  to: string
  blocks: readonly HistoryBlock[]
}

/** Notes what a poll read of the hours that have left the look-back, where they follow on what is known. */
export function noteLeaving(older: SlackOlder, leaving: Leaving): void {
  if (older.to !== hourOf(leaving.from) || leaving.from === leaving.to) return
  const collector = collectStretches()
  for (const block of leaving.blocks) collector.add(block)
  older.stretches = [...collector.take(older.to, true), ...older.stretches]
  older.to = hourOf(leaving.to)
}

export interface OlderRecorder {
  /** Blocks newest first; what belongs to the look-back is left out. */
  add(block: HistoryBlock): void
  /** A part that ends with a `ts` has been read; `failed` when something of it could not be. */
  note(from: string, failed: boolean): void
}

/**
 * Notes a channel's older history while it is read backwards for the first time, so that the next poll can compare it.
 * `before` is where an earlier run left off, null at the top.
 */
export function recordOlder(
  state: SlackState,
  channel: SlackChannelState,
  before: string | null,
): OlderRecorder {
  const { older } = channel
  const collector = collectStretches()
  // The upper part of an hour that was cut in two is not known any more.
  let known = before === null || isOnTheHour(before)
  return {
    add: (block) => {
      if (block.from < windowStart(channel)) collector.add(block)
    },
    note: (from, failed) => {
      known &&= !failed
      if (!isOnTheHour(from)) return
      const end = windowStart(channel)
      if (from < end) {
        if (older.stretches.length === 0) older.to = hourOf(before === null || before > end ? end : before)
        const stretches = [...older.stretches, ...collector.take(hourOf(from), known)]
        older.stretches = joinStretches(stretches, largestStretch(state))
      }
      known = true
    },
  }
}
