import { markOf, xorMarks } from '../history/marks.ts'
import { windowStart } from '../history/older.ts'
import type { SlackChannelState, SlackState, WatchedThread } from './cursor.ts'
import { hourOf, type SlackMessage } from './messages.ts'

/** The mark of an hour in which the stored version of an unwatched thread may differ. */
const UNKNOWN = ''

/** Whether a root is unchanged since its thread was last read; null when the thread is not watched. */
export function isThreadKnown(state: SlackState, channelId: string, root: SlackMessage): boolean | null {
  const watched = state.threads[`${channelId}/${root.ts}`]
  return watched ? watched.rootMark === markOf([root]) : null
}

/** Whether the roots of an hour's unwatched threads are unchanged since they were read. If not, they must be read now. */
export function areUnwatchedKnown(
  state: SlackState,
  channelId: string,
  from: string,
  roots: readonly SlackMessage[],
): boolean {
  const channel = state.channels[channelId]
  if (channel === undefined) return false
  const hour = hourOf(from)
  const isKnown =
    roots.length > 0 && channel.unwatched[hour] === xorMarks(roots.map((root) => markOf([root])))
  if (!isKnown) delete channel.unwatched[hour]
  return isKnown
}

/** Records a thread just read. `messages` is null when the read failed: then it comes first next time. */
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

export const unreadThread = (latestReply: string): WatchedThread => ({
  latestReply,
  readAt: 0,
  rootMark: '',
  mark: '',
})

/** Watches only the threads with the latest replies. The others in the look-back have one mark per hour. */
export function pruneThreads(state: SlackState, most: number): void {
  for (const channel of Object.values(state.channels)) forgetLeftHours(channel)
  const entries = Object.entries(state.threads)
  if (entries.length <= most) return
  entries.sort((left, right) => (left[1].latestReply > right[1].latestReply ? -1 : 1))
  state.threads = Object.fromEntries(entries.slice(0, most))
  for (const [key, thread] of entries.slice(most)) addToHour(state, key, thread)
}

/** Hours before the look-back are compared with older history. */
function forgetLeftHours(channel: SlackChannelState): void {
  const first = hourOf(windowStart(channel))
  for (const hour of Object.keys(channel.unwatched)) if (Number(hour) < first) delete channel.unwatched[hour]
}

function addToHour(state: SlackState, key: string, { rootMark }: WatchedThread): void {
  const [channelId = '', rootTs = ''] = key.split('/')
  const channel = state.channels[channelId]
  if (channel === undefined || rootTs < windowStart(channel)) return
  const hour = hourOf(rootTs)
  const before = channel.unwatched[hour]
  const isUnknown = rootMark === '' || before === UNKNOWN
  channel.unwatched[hour] = isUnknown ? UNKNOWN : xorMarks([before ?? '', rootMark])
}
