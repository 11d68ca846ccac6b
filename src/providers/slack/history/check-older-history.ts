import type { ChangePage } from '../../adapter.ts'
import type { SlackChannel } from '../reading/channels.ts'
import type { SlackRun } from '../client.ts'
import type { SlackChannelState, SlackStretch } from '../reading/cursor.ts'
import { createBlockReader, type HistoryBlock } from './blocks.ts'
import { addToTally, emptyTally, type Tally } from './marks.ts'
import { hourOf, isOnTheHour, toTs, tsOfHour } from '../reading/messages.ts'
import { largestStretch, nextTurn, noteLeaving, windowStart, type Leaving } from './older.ts'
import {
  collectStretches,
  joinStretches,
  splitOlder,
  stretchOf,
  unknownStretch,
  type Region,
  type StretchCollector,
} from './stretches.ts'
import { CHANGED_THREADS, readParts, type ThreadChoice } from '../reading/read-channel.ts'
import { historyOf, pageOf, readingOf, type SlackSync } from '../reading/run.ts'

/** Requests that a poll may spend on older history beyond those it makes anyway. */
const MOST_REQUESTS = 80
/** Messages of a stretch held until it is compared; a longer one that differs is requested again. */
const MOST_HELD = 5_000

/** What a poll may still spend on comparing older history. Checked between stretches, so the last one may exceed it. */
export interface CheckBudget {
  messages: number
  requests: number
}

export const checkBudget = (messages: number): CheckBudget => ({ messages, requests: MOST_REQUESTS })

const isSpent = (budget: CheckBudget) => budget.messages <= 0 || budget.requests <= 0

/** Compares a channel's older history with what is stored (docs/decisions/0003-older-slack-history.md). */
export interface OlderCheck {
  /** The look-back's blocks, for the poll to read; if possible from requests that also return older ones. */
  lookBack: AsyncGenerator<HistoryBlock>
  /** Compares and rereads older history within the budget; `leaving` just left the look-back. @throws ProviderError */
  compare(leaving: Leaving | null): AsyncGenerator<ChangePage>
}

/** Begins the check of one channel if the budget allows and there is something to compare. */
export function checkOlderHistory(
  sync: SlackSync,
  comparison: Pick<Comparison, 'channel' | 'state' | 'budget'>,
): OlderCheck {
  const { channel, state } = comparison
  const oldest = windowStart(state)
  const begun = beginComparison(sync, comparison)
  return {
    lookBack: begun?.isWhole ? begun.downTo(oldest) : historyOf(sync, channel.id, { oldest, before: null }),
    async *compare(leaving) {
      if (begun) yield* compareOlder(begun)
      // Last: messages that have left the look-back meanwhile are not part of this comparison.
      if (leaving) noteLeaving(state.older, leaving)
    },
  }
}

/** The comparison of one channel's older history with what is stored. */
interface Comparison {
  /** Its requests count against the budget. */
  sync: SlackSync
  channel: SlackChannel
  state: SlackChannelState
  budget: CheckBudget
  /** The channel's history: all of it, or what is below `start` when an earlier comparison was cut off. */
  downTo(from: string): AsyncGenerator<HistoryBlock>
  isWhole: boolean
  /** The hour below which history is compared. */
  start: number
}

/** Begins a channel's comparison; null when the budget is spent or there is nothing to compare yet. */
function beginComparison(
  sync: SlackSync,
  comparison: Pick<Comparison, 'channel' | 'state' | 'budget'>,
): Comparison | null {
  const { channel, state, budget } = comparison
  const windowHour = hourOf(windowStart(state))
  if (state.backfill !== null || windowHour === 0 || isSpent(budget)) return null
  const counted = { ...sync, run: countRequests(sync.run, budget) }
  const { next } = state.older
  const isWhole = next === 0
  // One request for the newest messages is made anyway, so older ones in it are free.
  if (isWhole) budget.requests += 1
  const before = isWhole ? null : tsOfHour(next)
  const downTo = createBlockReader(historyOf(counted, channel.id, { oldest: toTs(0), before }))
  return { ...comparison, sync: counted, downTo, isWhole, start: isWhole ? windowHour : next }
}

function countRequests(run: SlackRun, budget: CheckBudget): SlackRun {
  return {
    ...run,
    call: (method, schema, given) => {
      budget.requests -= 1
      return run.call(method, schema, given)
    },
  }
}

async function* compareOlder(comparison: Comparison): AsyncGenerator<ChangePage> {
  const { older } = comparison.state
  try {
    yield* compareRegions(comparison)
  } catch (error) {
    // The other channels come first. If refused at the same place again, the next comparison begins at the top.
    older.turn = nextTurn(comparison.sync.state)
    if (older.next === comparison.start) older.next = 0
    throw error
  }
}

/** What this comparison has covered, and what is left. */
interface Progress {
  above: SlackStretch[]
  below: Region[]
}

async function* compareRegions(comparison: Comparison): AsyncGenerator<ChangePage> {
  const { older } = comparison.state
  const progress: Progress = splitOlder(older, comparison.start)
  older.to = Math.max(older.to, comparison.start)
  for (let region = progress.below.shift(); region; region = progress.below.shift()) {
    yield* compareRegion(comparison, region, progress)
    if (older.next > 0 && isSpent(comparison.budget)) return
  }
  older.turn = nextTurn(comparison.sync.state)
}

async function* compareRegion(
  comparison: Comparison,
  region: Region,
  progress: Progress,
): AsyncGenerator<ChangePage> {
  const oldest = tsOfHour(region.from)
  const coming = comparison.downTo(oldest)
  if (region.roots === '') {
    yield* readRegion(comparison, region, progress, coming, CHANGED_THREADS)
    return
  }
  const { tally, held } = await tallyOf(comparison, coming)
  const found = stretchOf(region.from, tally)
  if (found.count === region.count && found.mark === region.mark) {
    note(comparison, progress, [found], null)
    return
  }
  const before = tsOfHour(region.before)
  const blocks = held ?? historyOf(comparison.sync, comparison.channel.id, { oldest, before })
  // A stretch requested again may have changed meanwhile.
  const skipUnwatched = held !== null && found.roots === region.roots
  yield* readRegion(comparison, region, progress, blocks, { ...CHANGED_THREADS, skipUnwatched })
}

async function tallyOf(
  comparison: Comparison,
  blocks: AsyncIterable<HistoryBlock>,
): Promise<{ tally: Tally; held: HistoryBlock[] | null }> {
  const tally = emptyTally()
  let held: HistoryBlock[] | null = []
  for await (const block of blocks) {
    addToTally(tally, block.messages)
    comparison.budget.messages -= block.messages.length
    if (tally.count > MOST_HELD) held = null
    held?.push(block)
  }
  return { tally, held }
}

/** Makes the stored items of a stretch match Slack. Stops after any part when the budget is spent. */
async function* readRegion(
  comparison: Comparison,
  region: Region,
  progress: Progress,
  blocks: AsyncIterable<HistoryBlock> | Iterable<HistoryBlock>,
  threads: ThreadChoice,
): AsyncGenerator<ChangePage> {
  const { sync, channel, budget } = comparison
  const collector = collectStretches()
  const bounds = { before: tsOfHour(region.before), oldest: tsOfHour(region.from) }
  const passing = collect(blocks, collector, budget)
  let failed = false
  for await (const part of readParts(readingOf(sync, channel), passing, bounds, threads)) {
    failed ||= part.failures.length > 0
    const isNoted = isOnTheHour(part.from)
    if (isNoted) {
      const from = hourOf(part.from)
      note(comparison, progress, collector.take(from, !failed), from > region.from ? region.from : null)
      failed = false
    }
    yield pageOf(sync, part)
    if (isNoted && isSpent(budget)) return
  }
}

async function* collect(
  blocks: AsyncIterable<HistoryBlock> | Iterable<HistoryBlock>,
  collector: StretchCollector,
  budget: CheckBudget,
): AsyncGenerator<HistoryBlock> {
  for await (const block of blocks) {
    collector.add(block)
    budget.messages -= block.messages.length
    yield block
  }
}

/** Records stretches as compared; `rest`: where the rest of their region begins, null when all is covered. */
function note(
  comparison: Comparison,
  progress: Progress,
  stretches: SlackStretch[],
  rest: number | null,
): void {
  const { older } = comparison.state
  progress.above = joinStretches([...progress.above, ...stretches], largestStretch(comparison.sync.state))
  older.stretches = [
    ...progress.above,
    ...(rest === null ? [] : [unknownStretch(rest)]),
    ...progress.below.map(({ from, count, mark, roots }) => ({ from, count, mark, roots })),
  ]
  older.next = stretches.at(-1)?.from ?? 0
}
