import type { ChangePage } from '../../adapter.ts'
import type { SlackChannel } from './channels.ts'
import type { SlackChannelState, WatchedThread } from './cursor.ts'
import { readThread, type HistoryBlock } from '../history/blocks.ts'
import type { HintedBlock } from '../hints.ts'
import { markOf } from '../history/marks.ts'
import { blockEnd, blockStart } from './messages.ts'
import { checkBudget, checkOlderHistory, type CheckBudget } from '../history/check-older-history.ts'
import { forgetHour, windowStart, type Leaving } from '../history/older.ts'
import { CHANGED_THREADS, readParts, type ReadPart } from './read-channel.ts'
import { historyOf, pageOf, readingOf, tryChannel, type SlackSync } from './run.ts'
import { unreadThread } from './watched-threads.ts'

/** Threads that a poll checks: the most recently active before the look-back, and of all those checked longest ago. */
const LIVELY_THREADS_PER_POLL = 30
const OTHER_THREADS_PER_POLL = 20
/** A look-back window of up to this many messages is compared as a whole. */
const COMPARED_MESSAGES = 2_000

/** Polls every channel within the look-back, then compares older history and checks older threads. */
export async function* pollChannels(sync: SlackSync): AsyncGenerator<ChangePage> {
  const budget = checkBudget(sync.options.verifiedMessages)
  const turnOf = ({ id }: SlackChannel) => sync.state.channels[id]?.older.turn ?? 0
  const ordered = [...sync.channels.values()].toSorted((left, right) => turnOf(left) - turnOf(right))
  for (const channel of ordered) {
    const state = sync.state.channels[channel.id]
    // Not begun yet. A channel whose older history is unreadable still gets its news.
    if (!state || state.backfill === '') continue
    yield* tryChannel(sync, channel, pollChannel(sync, channel, state, budget))
  }
  yield* checkThreads(sync)
}

async function* pollChannel(
  sync: SlackSync,
  channel: SlackChannel,
  state: SlackChannelState,
  budget: CheckBudget,
): AsyncGenerator<ChangePage> {
  const check = checkOlderHistory(sync, { channel, state, budget })
  const leaving = yield* pollWindow(sync, channel, state, check.lookBack)
  yield* check.compare(leaving)
}

/** Reads a channel's look-back if it changed. Returns what has left the look-back, where that is certain. */
async function* pollWindow(
  sync: SlackSync,
  channel: SlackChannel,
  state: SlackChannelState,
  blocks: AsyncGenerator<HistoryBlock>,
): AsyncGenerator<ChangePage, Leaving | null> {
  const oldest = windowStart(state)
  const head: HistoryBlock[] = []
  let size = 0
  let ended = false
  while (!ended && size < COMPARED_MESSAGES) {
    const next = await blocks.next()
    ended = next.done === true
    if (next.done === true) break
    head.push(next.value)
    size += next.value.messages.length
  }
  if (ended && markOf(head.flatMap((block) => block.messages)) === state.window) return null
  const parts = readParts(
    readingOf(sync, channel),
    chain(head, blocks),
    { before: null, oldest },
    CHANGED_THREADS,
  )
  let failed = false
  let leaving: Leaving | null = null
  for await (const part of parts) {
    failed ||= part.failures.length > 0
    if (part.from === oldest) {
      const newest = head[0]?.messages[0]?.ts ?? ''
      if (newest > state.newest) state.newest = newest
      const start = windowStart(state)
      const window = head.filter((block) => block.from >= start).flatMap((block) => block.messages)
      // The next poll rechecks a window that failed in part.
      state.window = ended && !failed ? markOf(window) : ''
      const left = head.filter((block) => block.from < start)
      if (ended && !failed) leaving = { from: oldest, to: start, blocks: left }
    }
    yield pageOf(sync, part)
  }
  return leaving
}

async function* chain(head: HistoryBlock[], rest: AsyncIterable<HistoryBlock>): AsyncGenerator<HistoryBlock> {
  yield* head
  yield* rest
}

/** Checks threads for what their roots do not show: new replies before the look-back, and edited ones anywhere. */
async function* checkThreads(sync: SlackSync): AsyncGenerator<ChangePage> {
  const { state, run, outage } = sync
  for (const key of threadsToCheck(sync)) {
    const [channelId = '', rootTs = ''] = key.split('/')
    const watched = state.threads[key]
    if (!watched) continue
    try {
      const mark = markOf(await readThread(run, channelId, rootTs))
      outage.passed()
      watched.readAt = run.session.clock.now().getTime()
      if (mark === watched.mark) continue
    } catch (error) {
      const failure = await outage.failureOf(`${sync.workspace.id}/${key}`, error)
      // Counts as checked: threads that never answer must not block the others.
      watched.readAt = run.session.clock.now().getTime()
      yield pageOf(sync, { failures: [failure] })
      continue
    }
    yield* readHinted(sync, [{ channelId, from: blockStart(rootTs), roots: new Set([rootTs]) }])
  }
}

function threadsToCheck(sync: SlackSync): string[] {
  const readable = Object.entries(sync.state.threads).filter(([key]) => sync.channels.has(channelOf(key)))
  const lively = readable
    .filter(([key]) => isOldThread(sync, key))
    .toSorted(([, left], [, right]) => (left.latestReply > right.latestReply ? -1 : 1))
    .slice(0, LIVELY_THREADS_PER_POLL)
  const chosen = new Set(lively.map(([key]) => key))
  const others = readable
    // The look-back reads again what could not be read in it.
    .filter(([key, { readAt }]) => !chosen.has(key) && (readAt > 0 || isOldThread(sync, key)))
    .toSorted(([, left], [, right]) => left.readAt - right.readAt)
  return [...chosen, ...others.slice(0, OTHER_THREADS_PER_POLL).map(([key]) => key)]
}

const channelOf = (key: string): string => key.slice(0, key.indexOf('/'))

function isOldThread(sync: SlackSync, key: string): boolean {
  const [, rootTs = ''] = key.split('/')
  const channel = sync.state.channels[channelOf(key)]
  return channel !== undefined && rootTs < windowStart(channel)
}

/** Rereads single blocks: their stored items then match Slack exactly. */
export async function* readHinted(
  sync: SlackSync,
  hinted: readonly HintedBlock[],
): AsyncGenerator<ChangePage> {
  for (const { channelId, from, roots } of hinted) {
    const channel = sync.channels.get(channelId)
    const state = sync.state.channels[channelId]
    if (!channel || !state || state.backfill === '') continue
    const before = blockEnd(from)
    const blocks = watchBlocks(historyOf(sync, channelId, { oldest: from, before }), state)
    const bounds = { before, oldest: from }
    const parts = readParts(readingOf(sync, channel), blocks, bounds, { ...CHANGED_THREADS, forced: roots })
    const keys = [...roots].map((root) => `${channelId}/${root}`)
    yield* tryChannel(sync, channel, watchAnew(sync, keys, readHour(sync, state, from, parts)))
  }
}

/** Stops watching an hour's threads while it is read, and then watches those that exist. Drops all on failure. */
async function* watchAnew(
  sync: SlackSync,
  keys: readonly string[],
  pages: AsyncIterable<ChangePage>,
): AsyncGenerator<ChangePage> {
  const { threads } = sync.state
  const known = keys.flatMap((key): [string, WatchedThread][] => (threads[key] ? [[key, threads[key]]] : []))
  for (const [key] of known) delete threads[key]
  try {
    yield* pages
  } catch (error) {
    for (const [key, { latestReply }] of known) sync.state.threads[key] ??= unreadThread(latestReply)
    throw error
  }
}

async function* readHour(
  sync: SlackSync,
  state: SlackChannelState,
  from: string,
  parts: AsyncIterable<ReadPart>,
): AsyncGenerator<ChangePage> {
  const recallThreads = forgetHour(state, from)
  let failed = false
  for await (const part of parts) {
    failed ||= part.failures.length > 0
    yield pageOf(sync, part)
  }
  if (!failed) recallThreads()
}

/** Records the newest message seen, then yields each block. */
export async function* watchBlocks(
  blocks: AsyncIterable<HistoryBlock>,
  state: SlackChannelState,
  onBlock: (block: HistoryBlock) => void = () => undefined,
): AsyncGenerator<HistoryBlock> {
  for await (const block of blocks) {
    const newest = block.messages[0]?.ts ?? ''
    if (newest > state.newest) state.newest = newest
    onBlock(block)
    yield block
  }
}
