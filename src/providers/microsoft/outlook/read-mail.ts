import { runCooperatively } from '../../../kernel/cooperative.ts'
import { cutToBytes } from '../../../text/cut-to-bytes.ts'
import { listedAttachments } from '../../attachment-names.ts'
import type { FeedItem } from '../../feed.ts'
import type { ProviderItem } from '../../adapter.ts'
import { isReply, withoutQuotedText } from '../../quoted-text.ts'
import { type AttachmentReader, type ReadAttachments, readAttachments } from './attachments.ts'
import type { Folders } from './folders.ts'
import { isAnswer, Message, MESSAGE_FIELDS, messagePath, metadataOf, senderOf, titleOf } from './message.ts'

/** Text read, as a multiple of what is stored: removing quotes shortens it. */
const TEXT_BEFORE_QUOTES = 4
const NONE: ReadAttachments = { names: [], texts: [], unread: [] }

/** What is needed to read a mailbox. */
export interface MailRun extends AttachmentReader {
  itemsPerPage: number
  folders: Folders
  mailbox: string
}

/**
 * The current mail, with its unread parts; null if it does not exist or is in a folder that is not read. Throws
 * ProviderError.
 */
export async function readMail(run: MailRun, externalId: string): Promise<FeedItem | null> {
  const path = messagePath(externalId)
  const message = await run.graph.find(`${path}?$select=${MESSAGE_FIELDS}`, Message)
  const folder = run.folders.get(message?.parentFolderId ?? '')
  if (message === null || folder === undefined || message.isDraft === true) return null
  // `hasAttachments` ignores attachments within the text, which are not read anyway.
  const attached = message.hasAttachments === true ? await readAttachments(run, path) : NONE
  const { maxTextBytes } = run.session.limits
  const text = cutToBytes(message.body?.content ?? '', maxTextBytes * TEXT_BEFORE_QUOTES)
  const said = isReply(titleOf(message), isAnswer(message))
    ? await runCooperatively(withoutQuotedText([text]), run.session.signal)
    : text.trim()
  const body = [said === '' ? titleOf(message) : said, ...attached.texts].join('\n\n')
  const kept = cutToBytes(body, maxTextBytes).trim()
  const at = message.receivedDateTime == null ? null : new Date(message.receivedDateTime)
  const item: ProviderItem = {
    externalId,
    sourceKind: 'message',
    title: titleOf(message),
    body: kept,
    url: message.webLink ?? null,
    authorName: senderOf(message)?.name ?? null,
    sourceCreatedAt: at,
    sourceUpdatedAt: at,
    metadata: {
      ...metadataOf(message, { mailbox: run.mailbox, folder }),
      ...(attached.names.length > 0 && { attachments: listedAttachments(attached.names) }),
      ...(kept.length < body.trim().length && { truncated: true }),
    },
  }
  const skipped = attached.unread.length === 0 ? null : attached.unread.join('; ')
  return { item, skipped }
}
