import type { ChangePage } from '../../provider.ts'
import type { SlackChannel } from './slack-channels.ts'
import { markOf, type SlackChannelState } from './slack-cursor.ts'
import { readThread, type HistoryBlock } from './slack-history.ts'
import type { HintedBlock } from './slack-hints.ts'
import { blockEnd, blockStart, toTs, type SlackMessage } from './slack-messages.ts'
import { readParts, type ReadPart } from './slack-reader.ts'
import { historyOf, pageOf, readingOf, tryChannel, type SlackSync } from './slack-sync.ts'

/** How far back each poll reads again, counted from a channel's newest message. */
const LOOK_BACK_SECONDS = 72 * 3600
/** Threads older than the look-back that a poll looks at: those talked in last, and those longest not looked at. */
const LIVELY_THREADS_PER_POLL = 30
const OTHER_THREADS_PER_POLL = 20
/** A look-back window is compared as a whole up to this many messages. */
const COMPARED_MESSAGES = 2_000

/** Asks every channel for what is new, edited or gone within the look-back; then some older threads for new replies. */
export async function* pollChannels(sync: SlackSync): AsyncGenerator<ChangePage> {
  for (const channel of sync.channels.values()) {
    const state = sync.state.channels[channel.id]
    // Not begun yet. One whose older history cannot be read still gets its news.
    if (!state || state.backfill === '') continue
    yield* tryChannel(sync, channel, pollChannel(sync, channel, state))
  }
  yield* checkOldThreads(sync)
}

async function* pollChannel(
  sync: SlackSync,
  channel: SlackChannel,
  state: SlackChannelState,
): AsyncGenerator<ChangePage> {
  const oldest = windowStart(state)
  const blocks = historyOf(sync, channel.id, { oldest, before: null })
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
  if (ended && markOf(head.flatMap((block) => block.messages)) === state.window) return
  const parts = readParts(
    readingOf(sync, channel),
    chain(head, blocks),
    { before: null, oldest },
    { skipKnown: true, forced: new Set() },
  )
  let failed = false
  for await (const part of parts) {
    failed ||= part.failures.length > 0
    if (part.from === oldest) {
      const newest = head[0]?.messages[0]?.ts ?? ''
      if (newest > state.newest) state.newest = newest
      const start = windowStart(state)
      const window = head.filter((block) => block.from >= start).flatMap((block) => block.messages)
      // A window that failed in part is looked at again in the next poll.
      state.window = ended && !failed ? markOf(window) : ''
    }
    yield pageOf(sync, part)
  }
}

const windowStart = (state: SlackChannelState) =>
  state.newest === '' ? toTs(0) : blockStart(toTs(Number(state.newest) - LOOK_BACK_SECONDS))

async function* chain(head: HistoryBlock[], rest: AsyncIterable<HistoryBlock>): AsyncGenerator<HistoryBlock> {
  yield* head
  yield* rest
}

/**
 * Looks at threads whose root is older than its channel's look-back: a new reply does not bring such a root back into the
 * history. Those that changed are read again with the hour they stand in.
 */
async function* checkOldThreads(sync: SlackSync): AsyncGenerator<ChangePage> {
  const { state, run, outage } = sync
  for (const key of oldThreads(sync)) {
    const [channelId = '', rootTs = ''] = key.split('/')
    const watched = state.threads[key]
    if (!watched) continue
    try {
      const mark = markOf(await readThread(run, channelId, rootTs))
      outage.passed()
      watched[1] = run.session.clock.now().getTime()
      if (mark === watched[3]) continue
    } catch (error) {
      yield pageOf(sync, { failures: [outage.failureOf(`${sync.workspace.id}/${key}`, error)] })
      continue
    }
    yield* readHinted(sync, [{ channelId, from: blockStart(rootTs), roots: new Set([rootTs]) }])
  }
}

function oldThreads(sync: SlackSync): string[] {
  const old = Object.entries(sync.state.threads).filter(([key]) => isOldThread(sync, key))
  const lively = old
    .toSorted(([, left], [, right]) => (left[0] > right[0] ? -1 : 1))
    .slice(0, LIVELY_THREADS_PER_POLL)
  const chosen = new Set(lively.map(([key]) => key))
  const others = old.filter(([key]) => !chosen.has(key)).toSorted(([, left], [, right]) => left[1] - right[1])
  return [...chosen, ...others.slice(0, OTHER_THREADS_PER_POLL).map(([key]) => key)]
}

function isOldThread(sync: SlackSync, key: string): boolean {
  const [channelId = '', rootTs = ''] = key.split('/')
  const channel = sync.state.channels[channelId]
  return channel !== undefined && sync.channels.has(channelId) && rootTs < windowStart(channel)
}

/** Reads single blocks again: what is stored of them becomes exactly what is there. */
export async function* readHinted(
  sync: SlackSync,
  hinted: readonly HintedBlock[],
): AsyncGenerator<ChangePage> {
  for (const { channelId, from, roots } of hinted) {
    const channel = sync.channels.get(channelId)
    const state = sync.state.channels[channelId]
    if (!channel || !state || state.backfill === '') continue
    for (const root of roots) delete sync.state.threads[`${channelId}/${root}`]
    const before = blockEnd(from)
    const blocks = watchBlocks(historyOf(sync, channelId, { oldest: from, before }), state, [])
    const bounds = { before, oldest: from }
    const parts = readParts(readingOf(sync, channel), blocks, bounds, { skipKnown: true, forced: roots })
    yield* tryChannel(sync, channel, asPages(sync, parts))
  }
}

async function* asPages(sync: SlackSync, parts: AsyncIterable<ReadPart>): AsyncGenerator<ChangePage> {
  for await (const part of parts) yield pageOf(sync, part)
}

/** Notes the newest message seen, and in `window` what the look-back will be compared by. */
export async function* watchBlocks(
  blocks: AsyncIterable<HistoryBlock>,
  state: SlackChannelState,
  window: SlackMessage[],
): AsyncGenerator<HistoryBlock> {
  for await (const block of blocks) {
    const newest = block.messages[0]?.ts ?? ''
    if (newest > state.newest) state.newest = newest
    if (block.from >= windowStart(state)) window.push(...block.messages)
    yield block
  }
}
