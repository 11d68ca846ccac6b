import { z } from 'zod'
import type { JsonValue, ProviderChannel } from '../../adapter.ts'
import { parseCursor } from '../../run-state.ts'

/** A stretch of older history as of its last comparison with what is stored. */
export interface SlackStretch {
  /** The clock hour at which it begins, in hours since the epoch; it ends where the one above it begins. */
  from: number
  /** How many messages it held. */
  count: number
  /** The XOR of all their hashes, in hex; '' when the stored version may differ. */
  mark: string
  /** The same for thread roots only. */
  roots: string
}

/** A thread that is rechecked for changed replies. */
export interface WatchedThread {
  /** The `ts` of its latest reply. */
  latestReply: string
  /** When it was last read, in epoch milliseconds; 0 when that failed. */
  readAt: number
  /** Short hash of its root as the history shows it. */
  rootMark: string
  /** Short hash of its content. */
  mark: string
}

// Saved without field names: a workspace has thousands of them.
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

/** What the history before the look-back held at its last comparison with what is stored. */
const olderState = z.object({
  /** The excluded hour at which the newest stretch ends; 0 when nothing has been compared yet. */
  to: z.number(),
  /** Newest first and contiguous; the last one may end above the channel's beginning. */
  stretches: z.array(savedStretch),
  /** The hour below which the comparison resumes; 0 when it begins at the top. */
  next: z.number(),
  /** When it was last compared, by a counter that no clock can starve; 0 for never. */
  turn: z.number(),
})

/** Older history that is still unknown. */
export const unknownOlder = (): SlackOlder => ({ to: 0, stretches: [], next: 0, turn: 0 })

const channelState = z.object({
  name: z.string(),
  /** As its items say; null when an earlier version read them: then a private channel's are read again. */
  isPrivate: z.boolean().nullable().default(null),
  /** The newest message ever seen, '' when there was none. Slack's clock, since ours may be wrong. */
  newest: z.string(),
  /** Progress of the first backward read: '' at the top, a `ts` below which everything is unread, null when done. */
  backfill: z.string().nullable(),
  /** Hash of the look-back window when last read: an equal one means no change. */
  window: z.string(),
  /** A mark of the unwatched threads of each hour in the look-back (`watched-threads.ts`). */
  unwatched: z.record(z.string(), z.string()).default({}),
  older: olderState.default(unknownOlder),
  /** The bot was removed from the channel, or refused: it stays out until an invitation or a full resync. */
  left: z.boolean(),
})

const cursorSchema = z.object({
  version: z.literal(1),
  /** When the app was installed whose bot is in the channels, from its credentials; '' when unknown. */
  install: z.string().default(''),
  /** Hash of the allowlist whose other channels have been deleted; '' before the first time. */
  allowlist: z.string().default(''),
  /** True during the first reading or a full resync. */
  crawl: z.boolean(),
  /** When every channel was last polled, in epoch milliseconds. */
  polledAt: z.number(),
  channels: z.record(z.string(), channelState),
  /** By `channel/root`. */
  threads: z.record(z.string(), savedThread),
})

export type SlackState = z.infer<typeof cursorSchema>
export type SlackChannelState = z.infer<typeof channelState>
export type SlackOlder = z.infer<typeof olderState>

/** The state in a saved cursor; null gives a new one. @throws ProviderError `cursor_expired` */
export function readSlackCursor(cursor: JsonValue | null): SlackState {
  if (cursor === null) {
    return { version: 1, install: '', allowlist: '', crawl: true, polledAt: 0, channels: {}, threads: {} }
  }
  return parseCursor(cursor, cursorSchema)
}

/** A channel to read from its newest message to its beginning. */
export const unreadChannel = ({
  name,
  isPrivate,
}: Pick<ProviderChannel, 'name' | 'isPrivate'>): SlackChannelState => ({
  name,
  isPrivate,
  newest: '',
  backfill: '',
  window: '',
  unwatched: {},
  older: unknownOlder(),
  left: false,
})

/** The current state, to save with a page. */
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

/** Removes a channel and its threads, or has it read anew. */
export function forgetChannel(state: SlackState, channelId: string, anew?: SlackChannelState): void {
  if (anew) state.channels[channelId] = anew
  else delete state.channels[channelId]
  for (const key of Object.keys(state.threads)) {
    if (key.startsWith(`${channelId}/`)) delete state.threads[key]
  }
}
