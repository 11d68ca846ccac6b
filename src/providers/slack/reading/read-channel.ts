import type { ChangePage, ItemFailure, ProviderItem } from '../../adapter.ts'
import { storedPages } from '../../stored-ids.ts'
import { readThread, type HistoryBlock } from '../history/blocks.ts'
import { channelIdRange, conversationItem, gatherConversations, slackItemId, threadItem } from './items.ts'
import { isThreadRoot, type SlackMessage } from './messages.ts'
import type { ChannelReading } from './run.ts'
import { areUnwatchedKnown, isThreadKnown, watchThread } from './watched-threads.ts'

/** The result of reading a part of a channel: everything with a `ts` at or above `from`, up to the part before it. */
export interface ReadPart extends Required<
  Pick<ChangePage, 'upserts' | 'deletions' | 'failures' | 'discovered' | 'unchanged'>
> {
  from: string
  /** Ids that exist, upserted or not. */
  present: Set<string>
}

export interface ThreadChoice {
  /** Skip watched threads whose root is unchanged since they were read. */
  skipKnown: boolean
  /** Also skip unwatched ones: no root of the stretch has changed since they were read. */
  skipUnwatched: boolean
  /** Always read these. */
  forced: ReadonlySet<string>
}

/** For already read messages: the threads that may have changed. */
export const CHANGED_THREADS: ThreadChoice = { skipKnown: true, skipUnwatched: false, forced: new Set() }

/** A channel's items, newest first, in parts of about `itemsPerPage`, and the stored items that are gone. */
export async function* readParts(
  reading: ChannelReading,
  blocks: AsyncIterable<HistoryBlock> | Iterable<HistoryBlock>,
  bounds: { before: string | null; oldest: string | null },
  threads: ThreadChoice,
): AsyncGenerator<ReadPart> {
  let before = bounds.before
  let part = emptyPart()
  for await (const block of blocks) {
    await readBlock(reading, block, threads, part)
    part.from = block.from
    if (part.upserts.length + part.failures.length < reading.options.itemsPerPage) continue
    yield await closePart(reading, part, before)
    before = block.from
    part = emptyPart()
  }
  part.from = bounds.oldest ?? ''
  yield await closePart(reading, part, before)
}

const emptyPart = (): ReadPart => ({
  upserts: [],
  deletions: [],
  failures: [],
  discovered: 0,
  unchanged: 0,
  from: '',
  present: new Set(),
})

async function readBlock(
  reading: ChannelReading,
  block: HistoryBlock,
  threads: ThreadChoice,
  part: ReadPart,
): Promise<void> {
  const { context, directory, state } = reading
  await directory.load(block.messages)
  for (const conversation of gatherConversations(block.messages))
    await addConversation(reading, conversation, part)
  const { id: channelId } = context.channel
  const roots = block.messages.filter(isThreadRoot)
  const unwatched = roots.filter(
    (root) => !threads.forced.has(root.ts) && isThreadKnown(state, channelId, root) === null,
  )
  const skipsUnwatched = threads.skipUnwatched || areUnwatchedKnown(state, channelId, block.from, unwatched)
  for (const root of roots) {
    const isKnown = isThreadKnown(state, channelId, root) ?? skipsUnwatched
    if (threads.skipKnown && isKnown && !threads.forced.has(root.ts)) {
      part.present.add(slackItemId(context.workspace.id, channelId, root.ts))
      part.discovered += 1
      part.unchanged += 1
    } else {
      await readOneThread(reading, root, part)
    }
  }
}

async function addConversation(
  { context, outage }: ChannelReading,
  conversation: readonly SlackMessage[],
  part: ReadPart,
): Promise<void> {
  try {
    addItem(part, conversationItem(context, conversation))
  } catch (error) {
    const ts = conversation[0]?.ts ?? ''
    addFailure(part, await outage.failureOf(slackItemId(context.workspace.id, context.channel.id, ts), error))
  }
}

async function readOneThread(reading: ChannelReading, root: SlackMessage, part: ReadPart): Promise<void> {
  const { context, run, directory, state, outage } = reading
  const channelId = context.channel.id
  const now = run.session.clock.now()
  try {
    const messages = await readThread(run, channelId, root.ts)
    await directory.load(messages)
    outage.passed()
    const item = threadItem(context, root.ts, messages)
    if (item) addItem(part, item)
    watchThread(state, channelId, root, messages, now)
  } catch (error) {
    addFailure(part, await outage.failureOf(slackItemId(context.workspace.id, channelId, root.ts), error))
    watchThread(state, channelId, root, null, now)
  }
}

/** An unreadable item still exists. */
function addFailure(part: ReadPart, failure: ItemFailure): void {
  part.failures.push(failure)
  part.present.add(failure.externalId)
  part.discovered += 1
}

function addItem(part: ReadPart, item: ProviderItem): void {
  part.upserts.push(item)
  part.present.add(item.externalId)
  part.discovered += 1
}

async function closePart(reading: ChannelReading, part: ReadPart, before: string | null): Promise<ReadPart> {
  const { workspace, channel } = reading.context
  const range = channelIdRange(workspace.id, channel.id)
  const from = slackItemId(workspace.id, channel.id, part.from)
  const to = before === null ? range.to : slackItemId(workspace.id, channel.id, before)
  for await (const stored of storedPages(reading.run.session, { from, to }))
    part.deletions.push(...stored.filter((id) => !part.present.has(id)))
  return part
}
