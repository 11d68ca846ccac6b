import type { TextExtractor } from '../../../file-text/index.ts'
import { cutToBytes } from '../../../text/cut-to-bytes.ts'
import { listedAttachments } from '../../attachment-names.ts'
import type { FeedItem } from '../../feed.ts'
import { textOfHtml } from '../../html-text.ts'
import type { ProviderSession } from '../../adapter.ts'
import { chatText } from '../../chat-text.ts'
import { shortLine } from '../../../text/short-line.ts'
import type { Graph } from '../shared/graph.ts'
import { type Channel, channelPath, type Channels, groupOf } from './channels.ts'
import {
  authorOf,
  changedAt,
  channelFields,
  filesOf,
  forwardedIn,
  isContent,
  Message,
  partsOf,
  type Thread,
} from './message.ts'

/** https://learn.microsoft.com/graph/api/channel-list-messages: a list has at most so many replies of a message. */
const EXPANDED_MAX = 1_000
const TITLE_CHARACTERS_MAX = 80
const MARKUP = /[<&]/

/** What is needed to read the threads of an account's channels. */
export interface TeamsRun {
  graph: Graph
  session: ProviderSession
  extractor: TextExtractor
  channels: Channels
  /** The account's own address. */
  address: string
  itemsPerPage: number
}

interface Said {
  message: Message
  text: string
}

/**
 * The current thread; or why it has no text; null if it does not exist or is empty. `listed` saves requests. @throws
 * ProviderError
 */
export async function readThread(
  run: TeamsRun,
  externalId: string,
  listed: Thread | null,
): Promise<FeedItem | null> {
  const ids = partsOf(externalId)
  const channel = run.channels.get(ids.channel)
  if (channel === undefined) return null
  const path = `${channelPath(channel)}/messages/${encodeURIComponent(ids.message)}`
  const root = listed ?? (await run.graph.find(path, Message))
  if (root === null) return null
  const replies = wholeReplies(listed) ?? (await run.graph.all(`${path}/replies?$top=50`, Message))
  const messages = [root, ...replies].filter(isContent).toSorted(byTime)
  if (messages.length === 0) return null
  const { said, isCut } = await textsOf(run, messages)
  return threadItem(run, { externalId, channel, root, messages, said, isCut })
}

/** Ids are also times, and distinguish messages sent at the same moment. */
const byTime = (one: Message, other: Message): number =>
  Date.parse(one.createdDateTime) - Date.parse(other.createdDateTime) || Number(one.id) - Number(other.id)

/** The replies in a list entry, if they are complete. */
function wholeReplies(listed: Thread | null): Message[] | null {
  const replies = listed?.replies ?? null
  if (replies === null || replies.length >= EXPANDED_MAX || listed?.['replies@odata.nextLink']) return null
  return replies.filter((reply) => reply !== null)
}

/** What was said, up to the limit. */
async function textsOf(
  run: TeamsRun,
  messages: readonly Message[],
): Promise<{ said: Said[]; isCut: boolean }> {
  const said: Said[] = []
  let length = 0
  for (const message of messages) {
    run.session.signal.throwIfAborted()
    if (length > run.session.limits.maxTextBytes) return { said, isCut: true }
    const text = await textOf(run, message)
    if (text !== '') said.push({ message, text })
    length += text.length
  }
  return { said, isCut: false }
}

async function textOf(run: TeamsRun, message: Message): Promise<string> {
  const { content, contentType } = message.body ?? {}
  const parts = [contentType === 'html' ? await plainText(run, content ?? '') : (content ?? '').trim()]
  for (const { author, html } of forwardedIn(message)) {
    const text = await plainText(run, html)
    if (text !== '') parts.push(`Forwarded${author === null ? '' : ` from ${author}`}: ${text}`)
  }
  return [...parts, ...filesOf(message).map((name) => `[file: ${name}]`)].filter(Boolean).join('\n')
}

const plainText = async (run: TeamsRun, html: string): Promise<string> =>
  (MARKUP.test(html) ? await textOfHtml(run, html) : html).trim()

interface WholeThread {
  externalId: string
  channel: Channel
  root: Message
  messages: readonly Message[]
  said: readonly Said[]
  /** Whether later messages are not said. */
  isCut: boolean
}

function threadItem(
  { session, address }: TeamsRun,
  { externalId, channel, root, messages, said, isCut }: WholeThread,
): FeedItem {
  const [first] = said
  if (first === undefined) return { title: channel.name, skipped: 'it has no text' }
  const subject = isContent(root) ? root.subject?.trim() : ''
  const whole = chatText(said.map(({ message, text }) => ({ author: authorOf(message), text }))).trim()
  const body = cutToBytes(whole, session.limits.maxTextBytes).trim()
  const author = authorOf(first.message)
  const attachments = said.flatMap(({ message }) => filesOf(message))
  const url = root.webUrl ?? null
  return {
    externalId,
    sourceKind: 'message',
    title: subject || `${channel.name}: ${shortLine(first.text, TITLE_CHARACTERS_MAX)}`,
    body,
    url,
    authorName: author,
    sourceCreatedAt: new Date(first.message.createdDateTime),
    sourceUpdatedAt: new Date(Math.max(...messages.map((message) => changedAt(message).getTime()))),
    metadata: {
      workspace: address.split('@')[1] ?? '',
      ...channelFields(channel),
      threadId: root.id,
      sender: author,
      senders: [...new Set(said.map(({ message }) => authorOf(message)))],
      messageCount: messages.length,
      ...(attachments.length > 0 && { attachments: listedAttachments(attachments) }),
      ...(url !== null && { permalink: url }),
      ...((isCut || body.length < whole.length) && { truncated: true }),
      accessPolicy: { visibility: 'restricted', groups: [groupOf(channel)] },
    },
  }
}
