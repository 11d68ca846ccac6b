import { createHash } from 'node:crypto'
import { type ChangePage, isRejected, type ItemFailure } from '../../adapter.ts'
import { idAfter, storedPages } from '../../stored-ids.ts'
import { joinSlackChannel, listSlackChannels, type SlackChannel } from './channels.ts'
import { forgetChannel, type SlackChannelState, type SlackState, unreadChannel } from './cursor.ts'
import { channelIdRange } from './items.ts'
import { channelKey, pageOf, type SlackSync } from './run.ts'

/** Marks new and renamed channels to be read, and deletes others' items. An allowlist replaces the bot's channels. */
export async function* adoptChannels(
  sync: SlackSync,
  allowlist: string[] | null,
): AsyncGenerator<ChangePage> {
  const { state, run, channels } = sync
  const listed = await listSlackChannels(run)
  sync.directory.addChannels(listed)
  const wanted = wantedChannels(state, listed, allowlist)
  adoptInstall(sync, [...wanted.values()])
  const listedIds = new Set(listed.map((channel) => channel.id))
  const failures = (allowlist ?? []).filter((id) => !listedIds.has(id)).map((id) => unlisted(sync, id))
  if (failures.length > 0) yield pageOf(sync, { failures })
  for (const id of Object.keys(state.channels)) {
    if (wanted.has(id)) continue
    yield* removeChannel(sync, id)
    forgetChannel(state, id)
  }
  for (const channel of wanted.values()) {
    const known = state.channels[channel.id]
    if (known && isOutOfReach(channel)) {
      // What was read stays. It is read again once the bot is back.
      if (!known.left) forgetChannel(state, channel.id, unreadChannel(channel))
      continue
    }
    if (known && !known.left && !channel.isMember && known.newest !== '') {
      yield* removeChannel(sync, channel.id)
      known.left = true
    }
    const failure = await joinIfNeeded(sync, channel)
    if (failure) yield pageOf(sync, { failures: [failure] })
    if (state.channels[channel.id]?.left !== true) channels.set(channel.id, channel)
  }
  yield* applyAllowlist(sync, allowlist, listed.filter(isOutOfReach))
}

/** Archiving a channel removes its bots, but people can still read it. */
const isOutOfReach = (channel: SlackChannel): boolean => channel.isArchived && !channel.isMember

function wantedChannels(
  { channels }: SlackState,
  listed: readonly SlackChannel[],
  allowlist: readonly string[] | null,
): Map<string, SlackChannel> {
  const allowed = allowlist === null ? null : new Set(allowlist)
  const isRead = (channel: SlackChannel): boolean =>
    channel.isMember || (isOutOfReach(channel) && channels[channel.id] !== undefined)
  const wanted = listed.filter((channel) => (allowed === null ? isRead(channel) : allowed.has(channel.id)))
  return new Map(wanted.map((channel) => [channel.id, channel]))
}

/** A new install leaves every channel. Those on the allowlist start over together, and nothing is deleted. */
function adoptInstall({ state, run }: SlackSync, wanted: readonly SlackChannel[]): void {
  const { installedAt } = run.session.extra
  const install = typeof installedAt === 'string' ? installedAt : ''
  if (install === state.install) return
  state.install = install
  // No events came between the installs.
  state.polledAt = 0
  for (const channel of wanted) {
    const known = state.channels[channel.id]
    if (known && (known.left || !channel.isMember)) state.channels[channel.id] = unreadChannel(channel)
  }
}

const unlisted = (sync: SlackSync, id: string): ItemFailure => ({
  externalId: channelKey(sync, id),
  message: `The allowlist contains ${id}, which is not a channel that the bot can see`,
})

/** Joins a channel that the bot is not in and updates its state. Returns the failure when Slack refuses. */
async function joinIfNeeded(sync: SlackSync, channel: SlackChannel): Promise<ItemFailure | null> {
  const { state, run } = sync
  const known = state.channels[channel.id]
  if (known && (known.left ? !channel.isMember : isAsRead(known, channel) && channel.isMember)) return null
  const fresh = unreadChannel(channel)
  state.channels[channel.id] = fresh
  if (channel.isMember) return null
  try {
    await joinSlackChannel(run, channel.id)
    return null
  } catch (error) {
    const failure = await sync.outage.failureOf(channelKey(sync, channel.id), error)
    // A refusal is final; a channel without an answer is retried by the next run.
    fresh.left = isRejected(error)
    return {
      ...failure,
      title: `#${channel.name}`,
      message: `The channel cannot be joined: ${failure.message}`,
    }
  }
}

/** Whether the channel's items still show its current properties. */
export const isAsRead = (known: SlackChannelState, channel: SlackChannel): boolean =>
  known.name === channel.name && (known.isPrivate ?? false) === channel.isPrivate

async function* removeChannel(sync: SlackSync, channelId: string): AsyncGenerator<ChangePage> {
  for await (const deletions of storedPages(sync.run.session, channelIdRange(sync.workspace.id, channelId))) {
    yield pageOf(sync, { deletions })
  }
}

/** Deletes the items of unread channels, once per allowlist and per full resync. */
async function* applyAllowlist(
  sync: SlackSync,
  allowlist: readonly string[] | null,
  outOfReach: readonly SlackChannel[],
): AsyncGenerator<ChangePage> {
  const mark = createHash('sha256')
    .update(JSON.stringify(allowlist?.toSorted() ?? null))
    .digest('base64url')
  if (sync.state.allowlist === mark) return
  const kept = outOfReach.filter(({ id }) => allowlist?.includes(id) ?? true)
  yield* removeOtherChannels(sync, new Map(kept.map((channel) => [channel.id, channel])))
  sync.state.allowlist = mark
}

async function* removeOtherChannels(
  sync: SlackSync,
  kept: ReadonlyMap<string, SlackChannel>,
): AsyncGenerator<ChangePage> {
  let from = ''
  for (;;) {
    const [id] = await sync.run.session.storedIds({ from, to: null, limit: 1 })
    if (id === undefined) return
    const [team, channelId = ''] = id.split('/')
    if (team !== sync.workspace.id || channelId === '') {
      yield pageOf(sync, { deletions: [id] })
      from = idAfter(id)
      continue
    }
    const channel = kept.get(channelId)
    if (channel) sync.state.channels[channelId] ??= unreadChannel(channel)
    else if (!sync.channels.has(channelId)) yield* removeChannel(sync, channelId)
    from = channelIdRange(sync.workspace.id, channelId).to
  }
}
