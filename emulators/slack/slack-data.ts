import { between, idOf, personOf, pick, randomOf, sentences } from '../kit/seed.ts'

/** A stored message; field names are Slack's. */
export interface EmulatedMessage {
  type: 'message'
  ts: string
  user: string
  text: string
  subtype?: string
  thread_ts?: string
  reply_count?: number
  latest_reply?: string
  edited?: { user: string; ts: string }
  hidden?: boolean
}

export interface EmulatedUser {
  id: string
  name: string
  real_name: string
  profile: { display_name: string; real_name: string; email: string }
  /** Left the workspace. */
  deleted: boolean
  is_bot: boolean
  /** A guest of several channels, or of one. */
  is_restricted: boolean
  is_ultra_restricted: boolean
}

/** The size of the seeded workspace. */
export interface SlackSeed {
  seed: string
  channels: number
  /** The bot is a member of this many channels, as if it had been invited. */
  memberChannels: number
  /** Messages per channel, without replies. */
  messagesPerChannel: number
  users: number
  /** Share of messages that have a thread, 0 to 1. */
  threadShare: number
  /** The last message is shortly before this time, the first `days` days before. Epoch milliseconds. */
  endsAt: number
  days: number
}

export const DEFAULT_SLACK_SEED: SlackSeed = {
  seed: 'acme',
  channels: 6,
  memberChannels: Infinity,
  messagesPerChannel: 80,
  users: 12,
  threadShare: 0.1,
  endsAt: Date.UTC(2026, 0, 15, 12),
  days: 60,
}

const CHANNEL_NAMES = [
  'general',
  'engineering',
  'support',
  'design',
  'sales',
  'random',
  'incidents',
  'hiring',
  'finance',
]
/** Messages come in bursts of four within three minutes, like a conversation. */
const BURST = 4
const BURST_PAUSE_SECONDS = 45
const SHORTEST_BURST_SECONDS = 400

export function userOf(seed: SlackSeed, index: number): EmulatedUser {
  return slackUser(`U${idOf(randomOf(seed.seed, 'user', index), 8)}`, personOf(index, 'acme.example'))
}

/** A full member of the workspace. */
export function slackUser(id: string, { name, email }: { name: string; email: string }): EmulatedUser {
  return {
    id,
    name: email.split('@')[0] ?? name,
    real_name: name,
    profile: { display_name: name, real_name: name, email },
    deleted: false,
    is_bot: false,
    is_restricted: false,
    is_ultra_restricted: false,
  }
}

export function channelOf(seed: SlackSeed, index: number): { id: string; name: string } {
  const round = Math.floor(index / CHANNEL_NAMES.length)
  const name = CHANNEL_NAMES[index % CHANNEL_NAMES.length] ?? 'general'
  return {
    id: `C${idOf(randomOf(seed.seed, 'channel', index), 8)}`,
    name: round === 0 ? name : `${name}-${round + 1}`,
  }
}

/** The `ts` of the i-th message of a channel; later messages have later ones. */
export function tsOf(seed: SlackSeed, channel: number, i: number): string {
  const bursts = Math.ceil(seed.messagesPerChannel / BURST)
  const step = Math.max(SHORTEST_BURST_SECONDS, Math.floor((seed.days * 86_400) / bursts))
  const burst = Math.floor(i / BURST)
  const jitter = Math.floor(randomOf(seed.seed, 'ts', channel, burst)() * step * 0.5)
  const end = Math.floor(seed.endsAt / 1000)
  const seconds = end - (bursts - burst) * step + jitter + (i % BURST) * BURST_PAUSE_SECONDS
  return `${seconds}.${String(i % 1_000_000).padStart(6, '0')}`
}

/** How many of a channel's generated messages have a `ts` below the given one. */
export function countBefore(seed: SlackSeed, channel: number, ts: string): number {
  let low = 0
  let high = seed.messagesPerChannel
  while (low < high) {
    const middle = (low + high) >> 1
    if (tsOf(seed, channel, middle) < ts) low = middle + 1
    else high = middle
  }
  return low
}

/** The i-th message of a channel, generated from the seed alone. The first notes that a user joined. */
export function messageOf(seed: SlackSeed, channel: number, i: number): EmulatedMessage {
  const random = randomOf(seed.seed, 'message', channel, i)
  const ts = tsOf(seed, channel, i)
  const user = userOf(seed, between(random, 0, seed.users - 1)).id
  if (i === 0) {
    return { type: 'message', subtype: 'channel_join', ts, user, text: `<@${user}> has joined the channel` }
  }
  const mention = random() < 0.1 ? `<@${userOf(seed, between(random, 0, seed.users - 1)).id}> ` : ''
  const link = random() < 0.05 ? ` See <https://wiki.acme.example/${i}|the notes &amp; numbers>.` : ''
  const text = `${mention}${sentences(random, pick(random, [1, 1, 2, 3]))}${link}`
  return { type: 'message', ts, user, text }
}

/** The generated replies of the i-th message; empty when it has no thread. */
export function repliesOf(seed: SlackSeed, channel: number, i: number): EmulatedMessage[] {
  const random = randomOf(seed.seed, 'thread', channel, i)
  if (i === 0 || random() >= seed.threadShare) return []
  const rootTs = tsOf(seed, channel, i)
  const start = Number(rootTs.split('.')[0])
  return Array.from({ length: between(random, 1, 5) }, (_unused, j) => ({
    type: 'message',
    ts: `${start + (j + 1) * 120}.${String(900_000 + j * 1000 + (i % 1000)).padStart(6, '0')}`,
    thread_ts: rootTs,
    user: userOf(seed, between(random, 0, seed.users - 1)).id,
    text: sentences(random, between(random, 1, 2)),
  }))
}
