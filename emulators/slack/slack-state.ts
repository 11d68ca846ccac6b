import {
  channelOf,
  slackUser,
  userOf,
  type EmulatedMessage,
  type EmulatedUser,
  type SlackSeed,
} from './slack-data.ts'
import {
  type ChannelData,
  type EmulatedChannel,
  historyOf,
  threadOf,
  findMessage,
  insertByTs,
} from './slack-messages.ts'

/** The current workspace. Listeners receive each change as the event Slack would send. */
export interface SlackEmulatorState {
  channels(): EmulatedChannel[]
  users(): EmulatedUser[]
  /** Top-level messages of a channel, newest first, from `oldest` to `latest` (inclusive), at most `limit`. */
  history(channelId: string, range: { oldest: string; latest: string; limit: number }): EmulatedMessage[]
  /** Root and replies, oldest first; empty when there is no such thread. */
  thread(channelId: string, rootTs: string): EmulatedMessage[]
  /** Every readable message, including replies, for comparison in tests. */
  allMessages(channelId: string): EmulatedMessage[]
  post(channelId: string, message: { text: string; user?: string; threadTs?: string; ts?: string }): string
  edit(channelId: string, ts: string, text: string): void
  delete(channelId: string, ts: string): void
  /** `members` defaults to everyone in a public channel and no one in a private one. */
  addChannel(channel: { name: string; isPrivate?: boolean; isMember?: boolean; members?: string[] }): string
  addMember(channelId: string, userId: string): void
  removeMember(channelId: string, userId: string): void
  setPrivate(channelId: string, isPrivate: boolean): void
  /** Adds a user to the workspace; returns the id. */
  addUser(user: { name: string; email: string; isGuest?: boolean }): string
  /** A user leaves the workspace and every channel, becomes a guest, or changes address. */
  updateUser(userId: string, change: { deleted?: boolean; isGuest?: boolean; email?: string }): void
  renameChannel(channelId: string, name: string): void
  deleteChannel(channelId: string): void
  setMember(channelId: string, isMember: boolean): void
  setArchived(channelId: string, isArchived: boolean): void
  /** Removes the app from the workspace: its bot leaves every channel. */
  uninstall(): void
  /** Calls the listener with the inner event of the Events API. */
  onEvent(listener: (event: Record<string, unknown>) => void): void
}

interface Workspace {
  seed: SlackSeed
  users: EmulatedUser[]
  channels: Map<string, ChannelData>
  emit(event: Record<string, unknown>): void
  nextTs(): string
}

/** A workspace generated from a seed. It stores only changes: 100,000 messages cost nothing until they are read. */
export function createSlackState(seed: SlackSeed, now: () => number): SlackEmulatorState {
  const users = Array.from({ length: seed.users }, (_unused, index) => userOf(seed, index))
  const channels = new Map<string, ChannelData>()
  const listeners: ((event: Record<string, unknown>) => void)[] = []
  let lastTs = 0

  for (let index = 0; index < seed.channels; index += 1) {
    const { id, name } = channelOf(seed, index)
    const isMember = index < seed.memberChannels
    const members = new Set(users.map((user) => user.id))
    channels.set(
      id,
      emptyChannel({ id, name, isPrivate: false, isArchived: false, isMember, members }, index),
    )
  }
  const workspace: Workspace = {
    seed,
    users,
    channels,
    emit: (event) => listeners.forEach((listener) => listener(event)),
    nextTs: () => {
      lastTs = Math.max(now() * 1000, lastTs + 1)
      return `${Math.floor(lastTs / 1_000_000)}.${String(lastTs % 1_000_000).padStart(6, '0')}`
    },
  }
  return {
    channels: () => [...channels.values()],
    users: () => users,
    history: (channelId, range) => historyOf(seed, channelById(workspace, channelId), range),
    thread: (channelId, rootTs) => threadOf(seed, channelById(workspace, channelId), rootTs),
    allMessages: (channelId) => {
      const channel = channelById(workspace, channelId)
      const top = historyOf(seed, channel, { oldest: '', latest: '~', limit: Infinity })
      return top.toReversed().flatMap((root) => {
        const thread = threadOf(seed, channel, root.ts)
        return thread.length > 1 ? thread : [root]
      })
    },
    ...messageActions(workspace),
    ...channelActions(workspace),
    ...peopleActions(workspace),
    onEvent: (listener) => listeners.push(listener),
  }
}

function channelById(workspace: Workspace, id: string): ChannelData {
  const channel = workspace.channels.get(id)
  if (!channel) throw new Error(`no channel ${id}`)
  return channel
}

function messageActions(workspace: Workspace): Pick<SlackEmulatorState, 'post' | 'edit' | 'delete'> {
  const { seed, users, emit, nextTs } = workspace
  // Slack sends an app only the messages of channels that its bot is in.
  const tell = (channel: ChannelData, event: Record<string, unknown>): void => {
    if (channel.isMember) emit({ ...event, channel: channel.id })
  }
  const messageById = (channel: ChannelData, ts: string): EmulatedMessage => {
    const message = findMessage(seed, channel, ts)
    if (!message) throw new Error(`no message ${ts}`)
    return message
  }
  return {
    post: (channelId, input) => {
      const channel = channelById(workspace, channelId)
      const user = input.user ?? users[0]?.id ?? 'U0'
      const message: EmulatedMessage = { type: 'message', ts: input.ts ?? nextTs(), user, text: input.text }
      if (input.threadTs === undefined) {
        insertByTs(channel.added, message)
      } else {
        message.thread_ts = input.threadTs
        const replies = channel.addedReplies.get(input.threadTs) ?? []
        insertByTs(replies, message)
        channel.addedReplies.set(input.threadTs, replies)
      }
      tell(channel, { ...message, event_ts: message.ts, channel_type: 'channel' })
      return message.ts
    },
    edit: (channelId, ts, text) => {
      const channel = channelById(workspace, channelId)
      const previous = messageById(channel, ts)
      channel.edits.set(ts, { text, ts: nextTs() })
      const change = { message: messageById(channel, ts), previous_message: previous }
      tell(channel, { type: 'message', subtype: 'message_changed', ts: nextTs(), ...change })
    },
    delete: (channelId, ts) => {
      const channel = channelById(workspace, channelId)
      const change = { deleted_ts: ts, previous_message: messageById(channel, ts) }
      channel.deleted.add(ts)
      tell(channel, { type: 'message', subtype: 'message_deleted', ts: nextTs(), ...change })
    },
  }
}

function channelActions(
  workspace: Workspace,
): Pick<
  SlackEmulatorState,
  'addChannel' | 'renameChannel' | 'deleteChannel' | 'setMember' | 'setPrivate' | 'setArchived' | 'uninstall'
> {
  const { channels, emit } = workspace
  return {
    addChannel: ({ name, isPrivate = false, isMember = false, members }) => {
      const id = `C${String(channels.size).padStart(8, '0')}`
      const people = members ?? (isPrivate ? [] : workspace.users.map((user) => user.id))
      const channel = { id, name, isPrivate, isArchived: false, isMember, members: new Set(people) }
      channels.set(id, emptyChannel(channel, null))
      emit({ type: 'channel_created', channel: { id, name } })
      return id
    },
    renameChannel: (channelId, name) => {
      channelById(workspace, channelId).name = name
      emit({ type: 'channel_rename', channel: { id: channelId, name } })
    },
    deleteChannel: (channelId) => {
      channels.delete(channelId)
      emit({ type: 'channel_deleted', channel: channelId })
    },
    setMember: (channelId, isMember) => {
      channelById(workspace, channelId).isMember = isMember
      emit({ type: isMember ? 'member_joined_channel' : 'channel_left', channel: channelId })
    },
    setPrivate: (channelId, isPrivate) => {
      channelById(workspace, channelId).isPrivate = isPrivate
    },
    setArchived: (channelId, isArchived) => {
      const channel = channelById(workspace, channelId)
      channel.isArchived = isArchived
      // Archiving removes bots, and unarchiving does not bring them back.
      if (isArchived) channel.isMember = false
      emit({ type: isArchived ? 'channel_archive' : 'channel_unarchive', channel: channelId })
    },
    uninstall: () => {
      for (const channel of channels.values()) channel.isMember = false
      emit({ type: 'app_uninstalled' })
    },
  }
}

function peopleActions(
  workspace: Workspace,
): Pick<SlackEmulatorState, 'addMember' | 'removeMember' | 'addUser' | 'updateUser'> {
  const { users, channels, emit } = workspace
  return {
    addMember: (channelId, user) => {
      channelById(workspace, channelId).members.add(user)
      emit({ type: 'member_joined_channel', user, channel: channelId })
    },
    removeMember: (channelId, user) => {
      channelById(workspace, channelId).members.delete(user)
      emit({ type: 'member_left_channel', user, channel: channelId })
    },
    addUser: ({ isGuest = false, ...person }) => {
      const id = `UNEW${String(users.length).padStart(5, '0')}`
      users.push({ ...slackUser(id, person), is_restricted: isGuest })
      emit({ type: 'team_join', user: users.at(-1) })
      return id
    },
    updateUser: (userId, { deleted, isGuest, email }) => {
      const index = users.findIndex((candidate) => candidate.id === userId)
      const before = users[index]
      if (!before) throw new Error(`no user ${userId}`)
      const user = {
        ...before,
        deleted: deleted ?? before.deleted,
        is_restricted: isGuest ?? before.is_restricted,
        profile: { ...before.profile, email: email ?? before.profile.email },
      }
      users[index] = user
      if (user.deleted) for (const channel of channels.values()) channel.members.delete(userId)
      emit({ type: 'user_change', user })
    },
  }
}

function emptyChannel(channel: EmulatedChannel, seedIndex: number | null): ChannelData {
  return { ...channel, seedIndex, edits: new Map(), deleted: new Set(), added: [], addedReplies: new Map() }
}
