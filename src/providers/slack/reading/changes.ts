import { HOUR_MS } from '../../../kernel/clock.ts'
import type { ChangePage, ListChangesInput } from '../../adapter.ts'
import type { SlackChannel } from './channels.ts'
import type { SlackRun } from '../client.ts'
import { readSlackCursor, unknownOlder, type SlackChannelState, type SlackState } from './cursor.ts'
import { groupHints } from '../hints.ts'
import { markOf } from '../history/marks.ts'
import { adoptChannels } from './membership.ts'
import { toTs, type SlackMessage } from './messages.ts'
import { joinOlder, nextTurn, recordOlder, windowStart } from '../history/older.ts'
import { pollChannels, readHinted, watchBlocks } from './poll.ts'
import { readParts, type ThreadChoice } from './read-channel.ts'
import {
  historyOf,
  pageOf,
  readingOf,
  startSync,
  tryChannel,
  type SlackChangesOptions,
  type SlackSync,
} from './run.ts'

/** Despite events, every channel is polled at this interval: an event may be lost. */
const POLL_DESPITE_EVENTS_MS = HOUR_MS
/** What changed in a workspace since `cursor`: new channels backwards, then hints and polls. @throws ProviderError */
export async function* listSlackChanges(
  run: SlackRun,
  input: ListChangesInput,
  options: SlackChangesOptions,
): AsyncGenerator<ChangePage> {
  const state = readSlackCursor(input.cursor)
  const sync = await startSync(run, state, options)
  const now = run.session.clock.now().getTime()
  const hints = groupHints(input.push?.hints ?? [])

  yield* adoptChannels(sync, input.settings.channelAllowlist)
  // After the channels are adopted: a new install must be polled whatever events came before.
  const pollAll = hints.unreadable || !isCoveredByEvents(state, input.push?.since ?? null, now)
  yield* backfillChannels(sync)
  yield* readHinted(sync, hints.blocks)
  if (pollAll) {
    if (!state.crawl) yield* pollChannels(sync)
    state.polledAt = now
  }
  state.crawl = false
  joinOlder(state)
  yield { ...pageOf(sync, {}), complete: true }
}

/** Whether events make polling needless: arriving since before the last full poll, within the hour. */
function isCoveredByEvents(state: SlackState, since: Date | null, now: number): boolean {
  if (since === null || state.crawl) return false
  const age = now - state.polledAt
  return since.getTime() <= state.polledAt && age >= 0 && age < POLL_DESPITE_EVENTS_MS
}

/** Reads channels that have not been read to their beginning, each from its position. */
async function* backfillChannels(sync: SlackSync): AsyncGenerator<ChangePage> {
  for (const channel of sync.channels.values()) {
    const state = sync.state.channels[channel.id]
    if (!state || state.backfill === null) continue
    yield* tryChannel(sync, channel, backfillChannel(sync, channel, state))
  }
}

async function* backfillChannel(
  sync: SlackSync,
  channel: SlackChannel,
  state: SlackChannelState,
): AsyncGenerator<ChangePage> {
  const before = state.backfill === '' ? null : state.backfill
  if (before === null) state.older = unknownOlder()
  const older = recordOlder(sync.state, state, before)
  const window: SlackMessage[] = []
  const history = historyOf(sync, channel.id, { oldest: toTs(0), before })
  const blocks = watchBlocks(history, state, (block) => {
    older.add(block)
    if (block.from < windowStart(state)) return
    for (const message of block.messages) window.push(message)
  })
  const bounds = { before, oldest: null }
  let isWhole = before === null
  for await (const part of readParts(readingOf(sync, channel), blocks, bounds, ALL_THREADS)) {
    const failed = part.failures.length > 0
    isWhole &&= !failed
    state.backfill = part.from === '' ? null : part.from
    older.note(part.from === '' ? toTs(0) : part.from, failed)
    if (state.backfill === null) {
      state.older.turn = nextTurn(sync.state)
      // So that the first poll after it detects an unchanged window.
      state.window = isWhole ? markOf(window) : ''
    }
    yield pageOf(sync, part)
  }
}

const ALL_THREADS: ThreadChoice = { skipKnown: false, skipUnwatched: false, forced: new Set() }
