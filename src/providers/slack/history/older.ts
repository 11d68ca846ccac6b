import type { SlackChannelState, SlackOlder, SlackState } from '../reading/cursor.ts'
import type { HistoryBlock } from './blocks.ts'
import { collectStretches, joinStretches, unknownStretch } from './stretches.ts'
import { blockStart, hourOf, isOnTheHour, toTs } from '../reading/messages.ts'

/** How far back each poll rereads, counted from a channel's newest message. */
const LOOK_BACK_SECONDS = 72 * 3600
/** A workspace has about this many stretches, plus one per channel. This bounds the cursor's size. */
const STRETCHES = 1_500
/** Smaller stretches gain nothing: an item is several messages. */
const SMALLEST_STRETCH = 100

/** Where a channel's look-back begins and its older history ends, on the edge of an hour. */
export const windowStart = (state: SlackChannelState): string =>
  state.newest === '' ? toTs(0) : blockStart(toTs(Number(state.newest) - LOOK_BACK_SECONDS))

/** The largest stretch, in messages, for a workspace of this size. */
export function largestStretch(state: SlackState): number {
  const messages = Object.values(state.channels)
    .flatMap((channel) => channel.older.stretches)
    .reduce((sum, { count }) => sum + count, 0)
  return Math.max(SMALLEST_STRETCH, Math.ceil(messages / STRETCHES))
}

/** A turn number after all others so far. */
export const nextTurn = (state: SlackState): number =>
  Object.values(state.channels).reduce((last, { older }) => Math.max(last, older.turn), 0) + 1

/** Joins stretches that are small for the workspace, in every channel, except where the comparison resumes. */
export function joinOlder(state: SlackState): void {
  const largest = largestStretch(state)
  for (const { older } of Object.values(state.channels)) {
    const above = older.stretches.filter(({ from }) => from >= older.next)
    const below = older.stretches.slice(above.length)
    older.stretches = [...joinStretches(above, largest), ...joinStretches(below, largest)]
  }
}

/** Invalidates an hour that is reread. The returned function restores the threads of the stretch's other hours. */
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

/** What a poll read of the hours that have left the look-back. */
export interface Leaving {
  from: string
  to: string
  blocks: readonly HistoryBlock[]
}

/** Records those hours, if they follow on the known stretches. */
export function noteLeaving(older: SlackOlder, leaving: Leaving): void {
  if (older.to !== hourOf(leaving.from) || leaving.from === leaving.to) return
  const collector = collectStretches()
  for (const block of leaving.blocks) collector.add(block)
  older.stretches = [...collector.take(older.to, true), ...older.stretches]
  older.to = hourOf(leaving.to)
}

export interface OlderRecorder {
  /** Blocks newest first; ignores those of the look-back. */
  add(block: HistoryBlock): void
  /** Reports that a part down to this `ts` has been read; `failed` when some of it could not be. */
  note(from: string, failed: boolean): void
}

/** Records older history during the first backward read; `before`: where an earlier run left off, null at the top. */
export function recordOlder(
  state: SlackState,
  channel: SlackChannelState,
  before: string | null,
): OlderRecorder {
  const { older } = channel
  const collector = collectStretches()
  // The upper part of an hour cut in two is no longer known.
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
