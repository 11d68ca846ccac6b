import { randomOf } from '../kit/seed.ts'

export interface EmulatedTeam {
  id: string
  displayName: string
  /** Short names of people. */
  members: Set<string>
}

export interface EmulatedChannel {
  id: string
  teamId: string
  displayName: string
  membershipType: 'standard' | 'private' | 'shared'
  /** Members of a private or shared channel; a standard channel has its team's. */
  members: Set<string>
  /** Whether it is listed for team members who may not open it. */
  isListed: boolean
  /** Delta tokens before this have expired. */
  oldest: number
}

export interface EmulatedMessage {
  id: string
  channelId: string
  /** The message it replies to. */
  rootId: string | null
  contentType: 'html' | 'text'
  content: string
  subject: string | null
  /** A person's short name; null for an app or the system. */
  by: string | null
  app: string | null
  messageType: string
  attachments: { name: string | null; contentType: string; content?: string }[]
  dlpAction: string | null
  createdAt: number
  editedAt: number | null
  deletedAt: number | null
  /** Fields returned in an undocumented format. */
  odd: Record<string, unknown>
}

/** A thread's position in the change log. */
interface Change {
  sequence: number
  at: number
}

/** The teams of a tenant, with their channels and messages. */
export class TeamsState {
  readonly teams = new Map<string, EmulatedTeam>()
  readonly channels = new Map<string, EmulatedChannel>()
  readonly messages = new Map<string, EmulatedMessage>()
  /** By root. */
  readonly #changes = new Map<string, Change>()
  /** The number of replies per message in a list. */
  expandedReplies = 1_000
  readonly #now: () => number
  #sequence = 0
  #lastId = 0
  #lastChannel = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get sequence(): number {
    return this.#sequence
  }

  createTeam(displayName: string, members: readonly string[] = ['ada', 'bob']): EmulatedTeam {
    const id = `7e40d0c4-0000-4000-8000-${String(this.teams.size + 1).padStart(12, '0')}`
    const team = { id, displayName, members: new Set(members) }
    this.teams.set(id, team)
    return team
  }

  createChannel(team: EmulatedTeam, displayName: string, more: Partial<EmulatedChannel> = {}) {
    this.#lastChannel += 1
    const random = randomOf('channel', this.#lastChannel)
    const id = `19:${Math.floor(random() * 2 ** 48).toString(16)}${this.#lastChannel}@thread.tacv2`
    const channel: EmulatedChannel = {
      id,
      teamId: team.id,
      displayName,
      membershipType: 'standard',
      members: new Set(),
      isListed: false,
      oldest: 0,
      ...more,
    }
    this.channels.set(id, channel)
    return channel
  }

  /** Whether a person may open a channel. Only a shared one has members outside its team. */
  isOpen({ membershipType, members, teamId }: EmulatedChannel, person: string): boolean {
    const isOfTeam = this.teams.get(teamId)?.members.has(person) ?? false
    if (membershipType === 'standard') return isOfTeam
    return members.has(person) && (isOfTeam || membershipType === 'shared')
  }

  post(channel: EmulatedChannel, more: Partial<EmulatedMessage> = {}): EmulatedMessage {
    const createdAt = more.createdAt ?? this.#now()
    // An id is the time of the message, in milliseconds.
    this.#lastId = Math.max(this.#lastId + 1, createdAt)
    const message: EmulatedMessage = {
      id: String(this.#lastId),
      channelId: channel.id,
      rootId: null,
      contentType: 'html',
      content: 'A message.',
      subject: null,
      by: 'bob',
      app: null,
      messageType: 'message',
      attachments: [],
      dlpAction: null,
      createdAt,
      editedAt: null,
      deletedAt: null,
      odd: {},
      ...more,
    }
    this.messages.set(message.id, message)
    this.#log(message, createdAt)
    return message
  }

  reply(root: EmulatedMessage, more: Partial<EmulatedMessage> = {}): EmulatedMessage {
    const channel = this.channels.get(root.channelId)
    if (channel === undefined) throw new Error('there is no such channel')
    return this.post(channel, { ...more, rootId: root.id })
  }

  edit(message: EmulatedMessage, content: string): void {
    Object.assign(message, { content, editedAt: this.#now() })
    this.#log(message)
  }

  /** It stays in lists, without its content. */
  remove(message: EmulatedMessage): void {
    message.deletedAt = this.#now()
    this.#log(message)
  }

  restore(message: EmulatedMessage): void {
    message.deletedAt = null
    this.#log(message)
  }

  block(message: EmulatedMessage, dlpAction: string): void {
    message.dlpAction = dlpAction
    this.#log(message)
  }

  /** A retention policy deletes it permanently, and no change is reported. */
  purge(root: EmulatedMessage): void {
    for (const { id } of [root, ...this.repliesTo(root)]) this.messages.delete(id)
  }

  removeChannel(channel: EmulatedChannel): void {
    this.channels.delete(channel.id)
    for (const message of this.messages.values())
      if (message.channelId === channel.id) this.messages.delete(message.id)
  }

  expireTokens(channel: EmulatedChannel): void {
    channel.oldest = this.#sequence += 1
  }

  /** A channel's threads, newest first. */
  rootsIn(channel: EmulatedChannel): EmulatedMessage[] {
    return [...this.messages.values()]
      .filter(({ channelId, rootId }) => channelId === channel.id && rootId === null)
      .toSorted((one, other) => Number(other.id) - Number(one.id))
  }

  /** Newest first, as in Graph. */
  repliesTo(root: EmulatedMessage): EmulatedMessage[] {
    return [...this.messages.values()]
      .filter(({ rootId }) => rootId === root.id)
      .toSorted((one, other) => Number(other.id) - Number(one.id))
  }

  changeOf(root: EmulatedMessage): Change {
    return this.#changes.get(root.id) ?? { sequence: 0, at: 0 }
  }

  /** A changed reply changes its thread. */
  #log({ id, rootId }: EmulatedMessage, at = this.#now()): void {
    this.#changes.set(rootId ?? id, { sequence: (this.#sequence += 1), at })
  }
}
