import { cutToBytes } from '../../../text/cut-to-bytes.ts'
import type { AccessPolicy, ItemMetadata, ProviderChannel, ProviderItem } from '../../adapter.ts'
import { chatText } from '../../chat-text.ts'
import { shortLine } from '../../../text/short-line.ts'
import { isContent, isReply, isThreadRoot, shownParts, tsDate, type SlackMessage } from './messages.ts'
import { mrkdwnToText, type SlackNames } from './mrkdwn.ts'

/** Bounds of a conversation outside threads: the longest pause, and the longest text. */
const PAUSE_SECONDS_MAX = 300
const CONVERSATION_CHARACTERS_MAX = 4_000
const TITLE_CHARACTERS_MAX = 80

/** The workspace of an item. `url` ends with a slash: `https://acme.slack.com/`. */
export interface SlackWorkspace {
  id: string
  name: string
  url: string
}

/** The author of a message, as far as known. */
export interface SlackAuthor {
  name: string
  email: string | null
}

export interface SlackPeople extends SlackNames {
  /** Whether every member of the workspace may read a channel. */
  isPublic(channelId: string): boolean
  author(message: SlackMessage): SlackAuthor
}

export interface ItemContext {
  workspace: SlackWorkspace
  channel: Pick<ProviderChannel, 'id' | 'name' | 'isPrivate'>
  people: SlackPeople
  /** Longest body in bytes; longer ones are cut. */
  maxTextBytes: number
}

/** The id of the item that begins with a message: `T…/C…/1700000000.000100`. Sorts by workspace, channel, time. */
export function slackItemId(teamId: string, channelId: string, ts: string): string {
  return `${teamId}/${channelId}/${ts}`
}

/** The range of a channel's item ids: from <= id < to. */
export function channelIdRange(teamId: string, channelId: string): { from: string; to: string } {
  // '0' is the character after '/'.
  return { from: `${teamId}/${channelId}/`, to: `${teamId}/${channelId}0` }
}

/** The conversations of one block, oldest first: runs of messages outside threads without a longer pause. */
export function gatherConversations(messages: readonly SlackMessage[]): SlackMessage[][] {
  const conversations: SlackMessage[][] = []
  let current: SlackMessage[] = []
  let length = 0
  const standalone = messages.filter(
    (message) => isContent(message) && !isReply(message) && !isThreadRoot(message),
  )
  for (const message of standalone.toSorted(byTs)) {
    const last = current.at(-1)
    const size = message.text?.length ?? 0
    const apart = last !== undefined && Number(message.ts) - Number(last.ts) > PAUSE_SECONDS_MAX
    if (last === undefined || apart || length + size > CONVERSATION_CHARACTERS_MAX) {
      current = []
      length = 0
      conversations.push(current)
    }
    current.push(message)
    length += size
  }
  return conversations
}

/** A conversation as an item, with the first message's link and id; the list is not empty. */
export function conversationItem(context: ItemContext, messages: readonly SlackMessage[]): ProviderItem {
  const first = messages[0]
  if (!first) throw new Error('a conversation has at least one message')
  return buildItem(context, first.ts, messages, {})
}

/** A thread as an item: root and replies. Null when it has no content (a deleted root without replies). */
export function threadItem(
  context: ItemContext,
  rootTs: string,
  messages: readonly SlackMessage[],
): ProviderItem | null {
  const content = messages.filter(isContent).toSorted(byTs)
  if (content.length === 0) return null
  return buildItem(context, rootTs, content, { threadId: rootTs })
}

function buildItem(
  context: ItemContext,
  ts: string,
  messages: readonly SlackMessage[],
  extra: ItemMetadata,
): ProviderItem {
  const { workspace, channel, people } = context
  const first = messages[0]
  const last = messages.at(-1)
  if (!first || !last) throw new Error('an item has at least one message')
  const author = people.author(first)
  const permalink = `${workspace.url}archives/${channel.id}/p${ts.replace('.', '')}`
  const said = messages.map((message) => ({
    author: people.author(message).name,
    text: messageText(message, context),
  }))
  return {
    externalId: slackItemId(workspace.id, channel.id, ts),
    sourceKind: 'message',
    title: `#${channel.name}: ${shortLine(messageText(first, context), TITLE_CHARACTERS_MAX)}`,
    body: cutToBytes(chatText(said), context.maxTextBytes),
    url: permalink,
    authorName: author.name,
    sourceCreatedAt: tsDate(first.ts),
    sourceUpdatedAt: tsDate(lastChange(messages)),
    metadata: {
      workspace: workspace.name,
      workspaceId: workspace.id,
      channel: channel.name,
      channelId: channel.id,
      sender: author.name,
      ...(author.email === null ? {} : { senderEmail: author.email }),
      senders: [...new Set(said.map(({ author: name }) => name))],
      messageCount: messages.length,
      permalink,
      accessPolicy: channelPolicy(channel),
      ...extra,
    },
  }
}

/** A private channel's members are a group of the source, so that a membership change changes no item. */
export function channelPolicy({ id, isPrivate }: Pick<ProviderChannel, 'id' | 'isPrivate'>): AccessPolicy {
  return isPrivate ? { visibility: 'restricted', groups: [id] } : { visibility: 'workspace' }
}

const messageText = (message: SlackMessage, { channel, people }: ItemContext): string =>
  shownParts(message, (id) => id === channel.id || people.isPublic(id))
    .map((part) => mrkdwnToText(part, people))
    .join('\n')

function lastChange(messages: readonly SlackMessage[]): string {
  return messages.reduce((latest, message) => {
    const edited = message.edited?.ts ?? ''
    const changed = edited > message.ts ? edited : message.ts
    return changed > latest ? changed : latest
  }, '')
}

const byTs = (left: SlackMessage, right: SlackMessage) =>
  left.ts < right.ts ? -1 : left.ts > right.ts ? 1 : 0
