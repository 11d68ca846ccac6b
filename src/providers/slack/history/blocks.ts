import { z } from 'zod'
import { ProviderError } from '../../adapter.ts'
import { Page, pagesOf, type SlackRun } from '../client.ts'
import { blockStart, readMessages, tsBefore, type SlackMessage } from '../reading/messages.ts'

/** Larger blocks are yielded in parts: one busy hour must not fill the memory. */
const LARGEST_BLOCK = 5_000
const REPLIES_LIMIT = '999'
const MOST_REPLIES = 5_000

const Messages = Page.extend({ messages: z.array(z.unknown()), has_more: z.boolean().optional() })

/** Messages of a part of a channel's history: everything with `from` <= ts, up to the block before it, newest first. */
export interface HistoryBlock {
  from: string
  messages: SlackMessage[]
}

/** A channel's history backwards by hour, `oldest` <= ts < `before` (null: no bound). @throws ProviderError */
export async function* readHistory(
  run: SlackRun,
  input: { channelId: string; oldest: string; before: string | null; pageSize: number },
): AsyncGenerator<HistoryBlock> {
  let before = input.before
  let pending: SlackMessage[] = []
  for (;;) {
    const page = await readPage(run, { ...input, before })
    for (const message of page.messages) {
      const last = pending.at(-1)
      const isNextBlock = last !== undefined && blockStart(last.ts) !== blockStart(message.ts)
      if (last !== undefined && (isNextBlock || pending.length >= LARGEST_BLOCK)) {
        yield { from: isNextBlock ? blockStart(last.ts) : last.ts, messages: pending }
        pending = []
      }
      pending.push(message)
    }
    const lowest = page.messages.at(-1)
    if (!page.hasMore || lowest === undefined) break
    before = lowest.ts
  }
  const last = pending.at(-1)
  if (last !== undefined) yield { from: blockStart(last.ts), messages: pending }
}

/**
 * Splits a history, newest block first, so that one request can serve several stretches. Each call yields the next
 * blocks, down to the edge of an hour. Read it to the end before the next call.
 */
export function createBlockReader(blocks: AsyncIterator<HistoryBlock>) {
  let ahead: IteratorResult<HistoryBlock> | null = null
  return async function* downTo(from: string): AsyncGenerator<HistoryBlock> {
    for (;;) {
      ahead ??= await blocks.next()
      if (ahead.done === true || ahead.value.from < from) return
      const block = ahead.value
      ahead = null
      yield block
    }
  }
}

async function readPage(
  run: SlackRun,
  input: { channelId: string; oldest: string; before: string | null; pageSize: number },
): Promise<{ messages: SlackMessage[]; hasMore: boolean }> {
  const pages = pagesOf(run, 'conversations.history', Messages, {
    channel: input.channelId,
    limit: String(input.pageSize),
    // Times instead of Slack's page cursors, except after an empty page: they stay valid when a run resumes days later.
    oldest: input.oldest,
    ...(input.before === null ? {} : { latest: tsBefore(input.before) }),
    inclusive: 'true',
  })
  for await (const answer of pages) {
    const messages = readMessages(answer.messages)
    // Slack may withhold all messages of a page.
    if (messages.length === 0 && answer.has_more === true) continue
    messages.sort((left, right) => (left.ts > right.ts ? -1 : 1))
    return { messages, hasMore: answer.has_more === true }
  }
  return { messages: [], hasMore: false }
}

/** A thread's root and replies, oldest first, at most 5,000; empty when it is gone. @throws ProviderError */
export async function readThread(run: SlackRun, channelId: string, rootTs: string): Promise<SlackMessage[]> {
  const messages = new Map<string, SlackMessage>()
  const thread = { channel: channelId, ts: rootTs, limit: REPLIES_LIMIT }
  try {
    for await (const answer of pagesOf(run, 'conversations.replies', Messages, thread)) {
      for (const message of readMessages(answer.messages)) messages.set(message.ts, message)
      if (messages.size >= MOST_REPLIES) break
    }
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'thread_not_found') return []
    throw error
  }
  return [...messages.values()].toSorted((left, right) => (left.ts < right.ts ? -1 : 1))
}
