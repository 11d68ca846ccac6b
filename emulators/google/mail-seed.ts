import { between, personOf, pick, randomOf, sentences, TOPICS } from '../kit/seed.ts'
import { pdfOf } from './file-formats.ts'

export interface MailAttachment {
  fileName: string
  mimeType: string
  content: Uint8Array
}

export interface Mail {
  from: string
  to: string
  subject: string
  /** Arrival in epoch milliseconds; the Date header has the sender's clock. */
  receivedAt: number
  dateHeader: string
  text: string | null
  html: string | null
  /** Charset of the text parts' bytes. */
  charset: 'utf-8' | 'iso-8859-1'
  attachments: MailAttachment[]
  labelIds: string[]
  threadId: string
}

export interface MailSeed {
  seed: string
  account: string
  domain: string
  mails: number
}

const FIRST_MAIL_AT = Date.UTC(2024, 0, 1)
const THREAD_LENGTH = 3
const BETWEEN_MAILS_MS = 600_000

/** Ids are 16 hex digits, like Gmail's. */
export const mailIdOf = (index: number) => (0x18c0000000000000n + BigInt(index) * 4096n).toString(16)

export function mailIndexOf(id: string): number | null {
  if (!/^[0-9a-f]{16}$/.test(id)) return null
  const number = BigInt(`0x${id}`) - 0x18c0000000000000n
  return number >= 0n && number % 4096n === 0n ? Number(number / 4096n) : null
}

/**
 * The n-th mail of the seed, oldest first. Three form a thread; the second and third quote the one before. One in
 * five is HTML only, one in ten is Latin-1, one in ten has an attachment, a few are in the trash or in spam.
 */
export function seededMail(seed: MailSeed, index: number): Mail {
  const first = index - (index % THREAD_LENGTH)
  const random = randomOf(seed.seed, 'mail', index)
  const topic = pick(randomOf(seed.seed, 'thread', first), TOPICS)
  const sender = personOf(between(random, 0, 40), seed.domain)
  const kind = index % 10
  const isReply = index !== first
  const words = sentences(random, between(random, 3, 8), topic)
  const text = `${kind === 8 ? 'Grüße aus Köln. ' : ''}${words}`
  const quoted = isReply ? quoteOf(seed, index - 1, topic) : ''
  const receivedAt = FIRST_MAIL_AT + index * BETWEEN_MAILS_MS
  return {
    from: `${sender.name} <${sender.email}>`,
    to: `Demo User <${seed.account}>`,
    subject: `${isReply ? 'Re: ' : ''}${topic} ${first}`,
    receivedAt,
    // One sender in twenty has a clock from 2001.
    dateHeader: new Date(index % 20 === 3 ? Date.UTC(2001, 0, 1) : receivedAt).toUTCString(),
    text: kind === 5 || kind === 6 ? null : text + quoted,
    html: kind >= 5 && kind <= 7 ? `<div dir="ltr">${text.replaceAll('. ', '.<br>')}</div>` : null,
    charset: kind === 8 ? 'iso-8859-1' : 'utf-8',
    attachments: kind === 9 ? [attachmentOf(seed, index)] : [],
    labelIds: labelsOf(index),
    threadId: mailIdOf(first),
  }
}

function quoteOf(seed: MailSeed, index: number, topic: string): string {
  const random = randomOf(seed.seed, 'quote', index)
  return `\n\nOn Mon, 5 Feb 2024 at 10:12, ${personOf(1, seed.domain).name} wrote:\n> ${sentences(random, 2, topic)}\n> quoted before\n`
}

function labelsOf(index: number): string[] {
  if (index % 97 === 13) return ['TRASH']
  if (index % 89 === 11) return ['SPAM']
  return ['INBOX', ...(index % 4 === 0 ? ['UNREAD'] : []), ...(index % 6 === 0 ? ['Label_1'] : [])]
}

function attachmentOf(seed: MailSeed, index: number): MailAttachment {
  const text = sentences(randomOf(seed.seed, 'attachment', index), 4)
  if (index % 50 === 9) {
    return {
      fileName: `notes-${index}.pdf`,
      mimeType: 'application/pdf',
      content: pdfOf(text.split(/(?<=\.) /)),
    }
  }
  return { fileName: `notes-${index}.txt`, mimeType: 'text/plain', content: Buffer.from(text) }
}

export const LABELS = [
  { id: 'INBOX', name: 'INBOX', type: 'system' },
  { id: 'UNREAD', name: 'UNREAD', type: 'system' },
  { id: 'TRASH', name: 'TRASH', type: 'system' },
  { id: 'SPAM', name: 'SPAM', type: 'system' },
  { id: 'SENT', name: 'SENT', type: 'system' },
  { id: 'DRAFT', name: 'DRAFT', type: 'system' },
  { id: 'STARRED', name: 'STARRED', type: 'system' },
  { id: 'Label_1', name: 'Projects/Launch', type: 'user' },
]
