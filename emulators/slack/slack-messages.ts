import { firstIndex } from '../kit/first-index.ts'
import {
  countBefore,
  messageOf,
  repliesOf,
  tsOf,
  type EmulatedMessage,
  type SlackSeed,
} from './slack-data.ts'

export interface EmulatedChannel {
  id: string
  name: string
  isPrivate: boolean
  isArchived: boolean
  isMember: boolean
  /** Ids of its users; the bot is not among them. */
  members: Set<string>
}

export interface ChannelData extends EmulatedChannel {
  /** The channel's number in the seed; null when it was added later and has no generated messages. */
  seedIndex: number | null
  edits: Map<string, { text: string; ts: string }>
  deleted: Set<string>
  /** Posted later, oldest first. */
  added: EmulatedMessage[]
  addedReplies: Map<string, EmulatedMessage[]>
}

/** Merges the generated messages, newest first, with those posted later. */
export function historyOf(
  seed: SlackSeed,
  channel: ChannelData,
  range: { oldest: string; latest: string; limit: number },
): EmulatedMessage[] {
  const found: EmulatedMessage[] = []
  const index = channel.seedIndex
  let next = index === null ? -1 : countBefore(seed, index, `${range.latest}~`) - 1
  let added = firstIndex(channel.added, ({ ts }) => ts > range.latest) - 1
  while (found.length < range.limit) {
    const generatedTs = index === null || next < 0 ? '' : tsOf(seed, index, next)
    const addedTs = channel.added[added]?.ts ?? ''
    const ts = generatedTs > addedTs ? generatedTs : addedTs
    if (ts === '' || ts < range.oldest) break
    const message = topLevel(seed, channel, ts)
    if (message) found.push(message)
    if (ts === generatedTs) next -= 1
    if (ts === addedTs) added -= 1
  }
  return found
}

/** The current state of a top-level message: edits, thread counts, or a tombstone when only its replies are left. */
function topLevel(seed: SlackSeed, channel: ChannelData, ts: string): EmulatedMessage | null {
  const original = originalTop(seed, channel, ts)
  if (!original) return null
  const replies = repliesTo(seed, channel, ts)
  const last = replies.at(-1)
  const thread = last ? { thread_ts: ts, reply_count: replies.length, latest_reply: last.ts } : {}
  if (!channel.deleted.has(ts)) return { ...edited(channel, original), ...thread }
  if (!last) return null
  const text = 'This message was deleted.'
  return { type: 'message', subtype: 'tombstone', ts, user: 'USLACKBOT', text, hidden: true, ...thread }
}

function originalTop(seed: SlackSeed, channel: ChannelData, ts: string): EmulatedMessage | null {
  const added = channel.added[firstIndex(channel.added, (message) => message.ts >= ts)]
  if (added?.ts === ts) return added
  const i = seededIndex(seed, channel, ts)
  return i === null || channel.seedIndex === null ? null : messageOf(seed, channel.seedIndex, i)
}

function seededIndex(seed: SlackSeed, channel: ChannelData, ts: string): number | null {
  if (channel.seedIndex === null) return null
  const i = countBefore(seed, channel.seedIndex, ts)
  return i < seed.messagesPerChannel && tsOf(seed, channel.seedIndex, i) === ts ? i : null
}

function repliesTo(seed: SlackSeed, channel: ChannelData, rootTs: string): EmulatedMessage[] {
  const i = seededIndex(seed, channel, rootTs)
  const generated = i === null || channel.seedIndex === null ? [] : repliesOf(seed, channel.seedIndex, i)
  return [...generated, ...(channel.addedReplies.get(rootTs) ?? [])]
    .filter((reply) => !channel.deleted.has(reply.ts))
    .map((reply) => edited(channel, reply))
    .toSorted(byTs)
}

export function threadOf(seed: SlackSeed, channel: ChannelData, rootTs: string): EmulatedMessage[] {
  const root = topLevel(seed, channel, rootTs)
  return root ? [root, ...repliesTo(seed, channel, rootTs)] : []
}

export function findMessage(seed: SlackSeed, channel: ChannelData, ts: string): EmulatedMessage | null {
  const top = topLevel(seed, channel, ts)
  if (top) return top
  for (const [rootTs, replies] of channel.addedReplies) {
    if (!replies.some((message) => message.ts === ts)) continue
    const reply = repliesTo(seed, channel, rootTs).find((message) => message.ts === ts)
    if (reply) return reply
  }
  if (channel.seedIndex === null) return null
  // A generated reply is within ten minutes of its root.
  const from = countBefore(seed, channel.seedIndex, String(Number(ts) - 700))
  const to = countBefore(seed, channel.seedIndex, ts)
  for (let i = from; i < to; i += 1) {
    const rootTs = tsOf(seed, channel.seedIndex, i)
    const reply = repliesTo(seed, channel, rootTs).find((message) => message.ts === ts)
    if (reply) return reply
  }
  return null
}

function edited(channel: ChannelData, message: EmulatedMessage): EmulatedMessage {
  const edit = channel.edits.get(message.ts)
  return edit ? { ...message, text: edit.text, edited: { user: message.user, ts: edit.ts } } : message
}

const byTs = (left: EmulatedMessage, right: EmulatedMessage) => (left.ts < right.ts ? -1 : 1)

/** Adds a message to a list that is oldest first. */
export function insertByTs(messages: EmulatedMessage[], message: EmulatedMessage): void {
  messages.splice(
    firstIndex(messages, ({ ts }) => ts > message.ts),
    0,
    message,
  )
}
