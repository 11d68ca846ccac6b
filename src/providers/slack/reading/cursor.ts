import { z } from 'zod'
import { ProviderError, type JsonValue } from '../../provider.ts'
import { markOf } from '../history/marks.ts'
import type { SlackMessage } from './messages.ts'

const MOST_WATCHED_THREADS = 3_000

/** A stretch of older history, as it was when last compared with what is stored. */
export interface SlackStretch {
  /** The clock hour it begins with, in hours since the epoch; it reaches up to the one above it. */
  from: number
  /** How many messages it held. */
  count: number
  /** The XOR of the hashes of all of them, in hex; '' when what is stored may differ. */
  mark: string
  /** The same of the roots of threads alone. */
  roots: string
}

/** A thread that is looked at again for changed replies. */
export interface WatchedThread {
  /** The `ts` of its latest reply. */
  latestReply: string
  /** When it was last read, epoch milliseconds; 0 when that failed. */
  readAt: number
  /** Short hash of its root as the history shows it. */
  rootMark: string
  /** Short hash of its content. */
  mark: string
}

// Saved without the names of their fields: a workspace has thousands of them.
const savedStretch = z
  .tuple([z.number(), z.number(), z.string(), z.string()])
  .transform(([from, count, mark, roots]): SlackStretch => ({ from, count, mark, roots }))
const saveStretch = ({ from, count, mark, roots }: SlackStretch): JsonValue => [from, count, mark, roots]

const savedThread = z
  .tuple([z.string(), z.number(), z.string(), z.string()])
  .transform(([latestReply, readAt, rootMark, mark]): WatchedThread => ({
    latestReply,
    readAt,
    rootMark,
    mark,
  }))
const saveThread = ({ latestReply, readAt, rootMark, mark }: WatchedThread): JsonValue => [
  latestReply,
  readAt,
  rootMark,
  mark,
]

/** What the history before the look-back held when it was last compared with what is stored. */
const olderState = z.object({
  /** The hour the newest stretch ends with, excluded; 0 when nothing has been compared yet. */
  to: z.number(),
  /** Newest first, each reaching to the next, the last one not always to the channel's beginning. */
  stretches: z.array(savedStretch),
  /** The hour below which comparing goes on; 0 when it begins at the top. */
  next: z.number(),
  /** Its last turn to be compared: the lowest comes next. Counted, so that no clock can keep a channel waiting; 0 for never. */
  turn: z.number(),
})

/** Older history nothing is known of yet. */
export const unknownOlder = (): SlackOlder => ({ to: 0, stretches: [], next: 0, turn: 0 })

const channelState = z.object({
  name: z.string(),
  /** As its items say it; null where an earlier version read them: those of a private channel are read again. */
  isPrivate: z.boolean().nullable().default(null),
  /** The newest message ever seen, '' when there was none. Slack's own clock, so ours may be wrong. */
  newest: z.string(),
  /** Where reading the whole history backwards stands: '' at the top, a `ts` below which all is still to be read, null when done. */
  backfill: z.string().nullable(),
  /** What the look-back window held when last read; the same again means that nothing changed. */
  window: z.string(),
  older: olderState.default(unknownOlder),
  /** The bot was put out of the channel, or refused: it stays out until somebody invites it or a full resync. */
  left: z.boolean(),
})

const cursorSchema = z.object({
  version: z.literal(1),
  /** When the app was installed whose bot is in the channels, as its credentials say; '' where they do not. */
  install: z.string().default(''),
  /** Hash of the allowlist whose other channels have been deleted; '' before the first time. */
  allowlist: z.string().default(''),
  /** True while the first reading (or a full resync) is under way. */
  crawl: z.boolean(),
  /** When every channel was last asked for news; epoch milliseconds. */
  polledAt: z.number(),
  channels: z.record(z.string(), channelState),
  /** By `channel/root`. */
  threads: z.record(z.string(), savedThread),
})

/** Where a Slack source stands. */
export type SlackState = z.infer<typeof cursorSchema>
export type SlackChannelState = z.infer<typeof channelState>
export type SlackOlder = z.infer<typeof olderState>

/** The state a saved cursor holds; a new one for null. Throws ProviderError `cursor_expired` on what is no cursor of ours. */
export function readSlackCursor(cursor: JsonValue | null): SlackState {
  if (cursor === null) {
    return { version: 1, install: '', allowlist: '', crawl: true, polledAt: 0, channels: {}, threads: {} }
  }
  const parsed = cursorSchema.safeParse(cursor)
  if (!parsed.success)
    throw new ProviderError('cursor_expired', 'The saved position cannot be read; a full resync is needed')
  return parsed.data
}

/** A channel to be read from its newest message to its beginning. */
export const unreadChannel = ({
  name,
  isPrivate,
}: {
  name: string
  isPrivate: boolean
}): SlackChannelState => ({
  name,
  isPrivate,
  newest: '',
  backfill: '',
  window: '',
  older: unknownOlder(),
  left: false,
})

/** The state as it is now, to be saved with a page. */
export function writeSlackCursor(state: SlackState): JsonValue {
  const channels = Object.entries(state.channels).map(([id, channel]): [string, JsonValue] => {
    const stretches = channel.older.stretches.map(saveStretch)
    return [id, { ...channel, older: { ...channel.older, stretches } }]
  })
  const threads = Object.entries(state.threads).map(([key, thread]): [string, JsonValue] => [
    key,
    saveThread(thread),
  ])
  return { ...state, channels: Object.fromEntries(channels), threads: Object.fromEntries(threads) }
}

/**
 * Whether a root, and with it the number and time of its replies, is as it was when its thread was last read; null when the
 * thread is not watched.
 */
export function isThreadKnown(state: SlackState, channelId: string, root: SlackMessage): boolean | null {
  const watched = state.threads[`${channelId}/${root.ts}`]
  return watched ? watched.rootMark === markOf([root]) : null
}

/** Notes a thread just read; `messages` null when that failed: then it comes first the next time. */
export function watchThread(
  state: SlackState,
  channelId: string,
  root: SlackMessage,
  messages: readonly SlackMessage[] | null,
  now: Date,
): void {
  const latestReply = root.latest_reply ?? root.ts
  state.threads[`${channelId}/${root.ts}`] =
    messages === null
      ? unreadThread(latestReply)
      : { latestReply, readAt: now.getTime(), rootMark: markOf([root]), mark: markOf(messages) }
}

/** A thread that has to be read. */
export const unreadThread = (latestReply: string): WatchedThread => ({
  latestReply,
  readAt: 0,
  rootMark: '',
  mark: '',
})

/** Keeps the threads with the latest replies. */
export function pruneThreads(state: SlackState): void {
  const entries = Object.entries(state.threads)
  if (entries.length <= MOST_WATCHED_THREADS) return
  entries.sort((left, right) => (left[1].latestReply > right[1].latestReply ? -1 : 1))
  state.threads = Object.fromEntries(entries.slice(0, MOST_WATCHED_THREADS))
}

/** Forgets a channel and its threads. */
export function forgetChannel(state: SlackState, channelId: string): void {
  delete state.channels[channelId]
  for (const key of Object.keys(state.threads)) {
    if (key.startsWith(`${channelId}/`)) delete state.threads[key]
  }
}
