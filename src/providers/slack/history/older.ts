import type { SlackChannelState, SlackOlder, SlackState } from '../reading/cursor.ts'
import type { HistoryBlock } from './blocks.ts'
import { collectStretches, hourOf, joinStretches, unknownStretch } from './stretches.ts'
import { blockStart, isOnTheHour, toTs } from '../reading/messages.ts'

/** How far back each poll reads again, counted from a channel's newest message. */
const LOOK_BACK_SECONDS = 72 * 3600
/** A workspace has about this many stretches, and one more for each channel: that is what they take of the cursor. */
const STRETCHES = 1_500
/** Finer than this says nothing: an item is several messages. */
const SMALLEST_STRETCH = 100

/** Where a channel's look-back begins and its older history ends, on the edge of an hour. */
export const windowStart = (state: SlackChannelState): string =>
  state.newest === '' ? toTs(0) : blockStart(toTs(Number(state.newest) - LOOK_BACK_SECONDS))

/** The most messages a stretch should hold in a workspace of this size. */
export function largestStretch(state: SlackState): number {
  const messages = Object.values(state.channels)
    .flatMap((channel) => channel.older.stretches)
    .reduce((sum, { count }) => sum + count, 0)
  return Math.max(SMALLEST_STRETCH, Math.ceil(messages / STRETCHES))
}

/** The number of the turn that comes after all others so far. */
export const nextTurn = (state: SlackState): number =>
  Object.values(state.channels).reduce((last, { older }) => Math.max(last, older.turn), 0) + 1

/** Joins what has become small for the size of the workspace, in every channel, but for where comparing goes on. */
export function joinOlder(state: SlackState): void {
  const largest = largestStretch(state)
  for (const { older } of Object.values(state.channels)) {
    const above = older.stretches.filter(({ from }) => from >= older.next)
    const below = older.stretches.slice(above.length)
    older.stretches = [...joinStretches(above, largest), ...joinStretches(below, largest)]
  }
}

/**
 * An hour is read again by itself: what was known of the look-back, or of the stretch it lies in, holds no longer. The answer
 * is to be called once all of the hour has been read; then the threads of the stretch's other hours are known as before.
 */
export function forgetHour(channel: SlackChannelState, from: string): () => void {
  const { stretches, to } = channel.older
  if (from >= windowStart(channel)) channel.window = ''
  const index = hourOf(from) < to ? stretches.findIndex((one) => one.from <= hourOf(from)) : -1
  const stretch = stretches[index]
  if (!stretch) return () => undefined
  stretches[index] = unknownStretch(stretch.from)
  return () => {
    stretches[index] = { ...stretch, mark: '' }
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
