import { addressParser, decodeWords } from 'postal-mime'
import { z } from 'zod'
import type { ItemFailure, ItemMetadata, ProviderItem } from '../../adapter.ts'
import { attachmentNames, listedAttachments } from '../../attachment-names.ts'
import { extractFile, tooLarge } from '../../extract-file.ts'
import type { FeedItem } from '../../feed.ts'
import { isUnavailable, itemFailure } from '../../outage-guard.ts'
import { findThing } from '../../rest.ts'
import { isNotFound } from '../shared/error.ts'
import { decodeText } from '../../../file-text/index.ts'
import { runCooperatively } from '../../../kernel/cooperative.ts'
import { cutToBytes } from '../../../text/cut-to-bytes.ts'
import { headerOf, MessagePart, partsOf, type AttachmentPart, type TextPart } from './mail-parts.ts'
import { isOutside, isVolatile, type MailRun } from './mail-run.ts'
import { isReply, withoutQuotedText } from '../../quoted-text.ts'

const MOST_ATTACHMENTS = 5
const MOST_RECIPIENTS = 50
/** Longer headers are cut: a list of recipients may be a megabyte. */
const HEADER_CHARACTERS_MAX = 20_000
/** Attachments get at most this fraction of an item's text; the mail's own text comes first. */
const SHARE = 1 / 4

/** Text read per part, as a multiple of what is stored: removing quotes shortens it. */
const TEXT_BEFORE_QUOTES = 4

/** https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages */
const Message = z.object({
  threadId: z.string().nullish(),
  labelIds: z.array(z.string()).nullish(),
  internalDate: z.string().nullish(),
  payload: MessagePart.nullish(),
})
type Message = z.output<typeof Message>

const Attachment = z.object({ data: z.string().nullish() })

/** The current mail, without parts that cannot be read; null if it does not exist or is in trash or spam. */
export async function readMail(run: MailRun, externalId: string): Promise<FeedItem | null> {
  const id = externalId.slice(externalId.lastIndexOf('/') + 1)
  const answer = run.api.get(pathOf(id), { format: 'full' }, z.unknown(), bytesMaxOf(run))
  const message = await findThing(answer, { schema: Message, name: 'Gmail', isMissing: isNotFound })
  if (message === null || isOutside(message.labelIds)) return null
  const payload = message.payload ?? {}
  const { texts, attachments } = partsOf(payload)
  const faults: Faults = { externalId, failures: [], isUnfinished: false }
  const own = await ownTexts(run, id, texts, faults)
  const attached = await attachedText(run, id, attachments, faults)
  const subject = decodeWords((headerOf(payload, 'Subject') ?? '').slice(0, HEADER_CHARACTERS_MAX)).trim()
  const title = subject === '' ? '(no subject)' : subject
  const isAnswer = (headerOf(payload, 'In-Reply-To') ?? headerOf(payload, 'References')) !== null
  const said = isReply(subject, isAnswer)
    ? await runCooperatively(withoutQuotedText(own.texts), run.session.signal)
    : own.texts.join('\n\n').trim()
  const words = [said, ...own.attachedMails].filter((text) => text !== '')
  const body = [...(words.length === 0 ? [title] : words), ...attached].join('\n\n')
  const kept = cutToBytes(body, run.session.limits.maxTextBytes)
  const sentAt = internalDateOf(message)
  const sender = firstAddress(headerOf(payload, 'From'))
  const link = permalinkOf(run, id)
  const item: ProviderItem = {
    externalId,
    sourceKind: 'message',
    title,
    body: kept,
    url: link,
    authorName: sender === null ? null : sender.name || sender.address,
    // The Date header comes from the sender's clock; internalDate is when Google received the mail.
    sourceCreatedAt: sentAt,
    sourceUpdatedAt: sentAt,
    metadata: {
      ...(await metadataOf(run, message, payload)),
      ...(sender === null ? {} : { sender: sender.name || sender.address, senderEmail: sender.address }),
      permalink: link,
      ...(attachments.length > 0 && {
        attachments: listedAttachments(attachments.map((part) => part.fileName)),
      }),
      ...(kept.length < body.length || own.truncated ? { truncated: true } : {}),
    },
  }
  return {
    item,
    skipped: skippedOf(run, attachments),
    failures: faults.failures.map((failure) => ({ ...failure, title })),
    isUnfinished: faults.isUnfinished,
  }
}

interface Faults {
  externalId: string
  failures: ItemFailure[]
  isUnfinished: boolean
}

/** Runs `read` for one part. Records a fault of the part or a missing answer, and returns null. */
async function readOrNote<Value>(
  run: MailRun,
  what: string,
  faults: Faults,
  read: () => Promise<Value>,
): Promise<Value | null> {
  try {
    return await read()
  } catch (error) {
    run.session.signal.throwIfAborted()
    const failure = itemFailure(faults.externalId, error)
    faults.failures.push({ ...failure, message: `${what}: ${failure.message}` })
    faults.isUnfinished ||= isUnavailable(error)
    return null
  }
}

/** The mail's own text by part, including attached mails. */
async function ownTexts(run: MailRun, messageId: string, parts: readonly TextPart[], faults: Faults) {
  const texts: string[] = []
  const attachedMails: string[] = []
  let truncated = false
  for (const part of parts) {
    const text = await readOrNote(run, 'The text of the mail', faults, () => textOf(run, messageId, part))
    if (text === null) continue
    const kept = cutToBytes(text, run.session.limits.maxTextBytes * TEXT_BEFORE_QUOTES)
    truncated ||= kept.length < text.length
    if (part.isAttachedMail) attachedMails.push(kept.trim())
    else texts.push(kept)
  }
  return { texts, attachedMails, truncated }
}

async function metadataOf(run: MailRun, message: Message, payload: MessagePart): Promise<ItemMetadata> {
  const account = run.session.account.externalAccountId
  const names = await run.labelNames()
  const labels = (message.labelIds ?? []).filter((id) => !isVolatile(id)).map((id) => names.get(id) ?? id)
  const all = addressesOf([headerOf(payload, 'To'), headerOf(payload, 'Cc')].join(', '))
  const to = all.slice(0, MOST_RECIPIENTS)
  const named = to.filter(({ name, address }) => name !== '' && name !== address)
  return {
    workspace: account.slice(account.indexOf('@') + 1),
    mailbox: account,
    labels: labels.toSorted(),
    ...(message.threadId ? { threadId: message.threadId } : {}),
    ...(to.length === 0 ? {} : { recipients: to.map(({ address }) => address) }),
    ...(named.length === 0
      ? {}
      : { namedRecipients: named.map(({ name, address }) => `${name} <${address}>`) }),
    accessPolicy: { visibility: 'private' },
  }
}

async function textOf(run: MailRun, messageId: string, part: TextPart): Promise<string> {
  const bytes = part.bytes ?? (await fetchAttachment(run, messageId, part.attachmentId))
  if (part.format === 'text') return decodeText(bytes, part.charset)
  const file = { format: 'html', bytes, charset: part.charset, path: '' } as const
  return (await extractFile(run, file, TEXT_BEFORE_QUOTES)).text
}

/** Whether an attachment is read; images within the text, such as logos of signatures, are not. */
const readableBy =
  (run: MailRun) =>
  ({ mimeType, fileName, isBeside }: AttachmentPart): boolean => {
    const format = run.extractor.formatOf(mimeType, fileName)
    return format !== null && (format !== 'image' || isBeside)
  }

/** Why attachments are not read; null if all are. */
function skippedOf(run: MailRun, attachments: readonly AttachmentPart[]): string | null {
  const isReadable = readableBy(run)
  const others = attachments
    .filter((part) => part.isBeside && !isReadable(part))
    .map(({ fileName, mimeType }) => `${fileName} (${mimeType})`)
  const beyond = attachments
    .filter(isReadable)
    .slice(MOST_ATTACHMENTS)
    .map(({ fileName }) => fileName)
  const reasons: string[] = []
  if (others.length > 0) reasons.push(`Files of these types are not read: ${attachmentNames(others)}`)
  if (beyond.length > 0)
    reasons.push(`Only the first ${MOST_ATTACHMENTS} attachments are read, not ${attachmentNames(beyond)}`)
  return reasons.length === 0 ? null : reasons.join('; ')
}

/** The text of the first few attachments that have some. An unreadable one is recorded and skipped. */
async function attachedText(
  run: MailRun,
  messageId: string,
  attachments: readonly AttachmentPart[],
  faults: Faults,
): Promise<string[]> {
  const readable = attachments.filter(readableBy(run))
  const texts: string[] = []
  for (const part of readable.slice(0, MOST_ATTACHMENTS)) {
    const text = await readOrNote(run, part.fileName, faults, () =>
      run.oneAttachment(() => readAttachment(run, messageId, part)),
    )
    if (text) texts.push(`${part.fileName}:\n${text}`)
  }
  return texts
}

async function readAttachment(run: MailRun, messageId: string, part: AttachmentPart): Promise<string> {
  if (part.size > run.session.limits.maxDownloadBytes) throw tooLarge(run.session, 'The attachment')
  const format = run.extractor.formatOf(part.mimeType, part.fileName)
  if (format === null) return ''
  const bytes = part.bytes ?? (await fetchAttachment(run, messageId, part.attachmentId))
  return (await extractFile(run, { format, bytes, charset: null, path: part.fileName }, SHARE)).text
}

async function fetchAttachment(run: MailRun, messageId: string, id: string | null): Promise<Uint8Array> {
  if (id === null) return new Uint8Array()
  const path = `${pathOf(messageId)}/attachments/${encodeURIComponent(id)}`
  const { data } = await run.api.get(path, {}, Attachment, bytesMaxOf(run))
  return Buffer.from(data ?? '', 'base64url')
}

/** An answer has its content in base64, which is a third larger. */
const bytesMaxOf = ({ session }: MailRun): number => Math.ceil(session.limits.maxDownloadBytes * 1.4)

const pathOf = (messageId: string): string => `messages/${encodeURIComponent(messageId)}`

function permalinkOf(run: MailRun, messageId: string): string {
  const account = encodeURIComponent(run.session.account.externalAccountId)
  return `https://mail.google.com/mail/?authuser=${account}#all/${messageId}`
}

function internalDateOf(message: Message): Date | null {
  const date = new Date(Number(message.internalDate ?? Number.NaN))
  return Number.isNaN(date.getTime()) ? null : date
}

/** The first mailbox of a From header, whose name Gmail may decode to unquoted commas. */
function firstAddress(header: string | null): { name: string; address: string } | null {
  const parsed = addressParser((header ?? '').slice(0, HEADER_CHARACTERS_MAX), { flatten: true })
  const index = parsed.findIndex(({ address }) => address)
  const address = parsed[index]?.address
  if (!address) return null
  const names = parsed.slice(0, index + 1).map(({ name }) => decodeWords(name).trim())
  return { name: names.filter((name) => name !== '').join(', '), address }
}

/** The mailboxes of an address header, with groups expanded (RFC 5322, 3.4). */
function addressesOf(header: string): { name: string; address: string }[] {
  return addressParser(header.slice(0, HEADER_CHARACTERS_MAX), { flatten: true }).flatMap(
    ({ name, address }) => (address ? [{ name: decodeWords(name).trim(), address }] : []),
  )
}
