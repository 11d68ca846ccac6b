import { type ChangePage, type ItemFailure, ProviderError } from '../../provider.ts'
import { joinSlackChannel, listSlackChannels, type SlackChannel } from './channels.ts'
import { forgetChannel, unreadChannel } from './cursor.ts'
import { channelIdRange } from './items.ts'
import { afterId, storedIn } from './reader.ts'
import { channelKey, pageOf, type SlackSync } from './sync.ts'

/** Compares the workspace's channels with those known: new and renamed ones are to be read, lost ones removed. */
export async function* adoptChannels(
  sync: SlackSync,
  allowlist: string[] | null,
): AsyncGenerator<ChangePage> {
  const { state, run, channels } = sync
  const listed = await listSlackChannels(run)
  for (const channel of listed) sync.directory.addChannel(channel.id, channel.name)
  const allowed = allowlist === null ? null : new Set(allowlist)
  const listedIds = new Set(listed.map((channel) => channel.id))
  adoptInstall(sync, listed)
  const failures = (allowlist ?? []).filter((id) => !listedIds.has(id)).map((id) => unlisted(sync, id))
  if (failures.length > 0) yield pageOf(sync, { failures })
  for (const id of Object.keys(state.channels)) {
    if (!listedIds.has(id)) {
      yield* removeChannel(sync, id)
      forgetChannel(state, id)
    } else if (allowed?.has(id) === false) {
      // What it brought stays until a full resync.
      forgetChannel(state, id)
    }
  }
  for (const channel of listed) {
    if (allowed?.has(channel.id) === false) continue
    const known = state.channels[channel.id]
    if (known && !known.left && !channel.isMember && known.newest !== '') {
      yield* removeChannel(sync, channel.id)
      known.left = true
    }
    const failure = await joinIfNeeded(sync, channel)
    if (failure) yield pageOf(sync, { failures: [failure] })
    if (state.channels[channel.id]?.left !== true) channels.set(channel.id, channel)
  }
}

/**
 * After a new install the bot is in no channel, without having been put out of any: such channels are begun anew, which
 * joins them and removes nothing. All of them at once, before a page is saved, so that a run that dies loses nothing either.
 */
function adoptInstall({ state, run }: SlackSync, listed: readonly SlackChannel[]): void {
  const { installedAt } = run.session.extra
  const install = typeof installedAt === 'string' ? installedAt : ''
  if (install === state.install) return
  state.install = install
  // No events came between the installs.
  state.polledAt = 0
  for (const { id, name, isMember } of listed) {
    const known = state.channels[id]
    if (known && (known.left || !isMember)) state.channels[id] = unreadChannel(name)
  }
}

const unlisted = (sync: SlackSync, id: string): ItemFailure => ({
  externalId: channelKey(sync, id),
  message: `the allowlist names ${id}, which is not among the channels that Slack shows the bot`,
})

/** Makes a channel readable and its state current; the failure where Slack does not let the bot in. */
async function joinIfNeeded(sync: SlackSync, channel: SlackChannel): Promise<ItemFailure | null> {
  const { state, run } = sync
  const known = state.channels[channel.id]
  if (known && (known.left ? !channel.isMember : known.name === channel.name && channel.isMember)) return null
  const fresh = unreadChannel(channel.name)
  state.channels[channel.id] = fresh
  if (channel.isMember) return null
  try {
    await joinSlackChannel(run, channel.id)
    return null
  } catch (error) {
    const failure = sync.outage.failureOf(channelKey(sync, channel.id), error)
    // Refused is refused; a channel that Slack gave no answer for is tried again with the next run.
    fresh.left = error instanceof ProviderError && error.kind === 'rejected'
    return { ...failure, message: `#${channel.name} cannot be joined: ${failure.message}` }
  }
}

async function* removeChannel(sync: SlackSync, channelId: string): AsyncGenerator<ChangePage> {
  for await (const deletions of storedIn(sync.run, channelIdRange(sync.workspace.id, channelId))) {
    yield pageOf(sync, { deletions })
  }
}

/** After a full reading: removes what is stored of channels that are not read (no longer there, or not on the allowlist). */
export async function* removeOtherChannels(sync: SlackSync): AsyncGenerator<ChangePage> {
  let from = ''
  for (;;) {
    const [id] = await sync.run.session.storedIds({ from, to: null, limit: 1 })
    if (id === undefined) return
    const [team, channelId = ''] = id.split('/')
    if (team !== sync.workspace.id || channelId === '') {
      yield pageOf(sync, { deletions: [id] })
      from = afterId(id)
      continue
    }
    if (!sync.channels.has(channelId)) yield* removeChannel(sync, channelId)
    from = channelIdRange(sync.workspace.id, channelId).to
  }
}
