import { decodeWords } from 'postal-mime'
import { z } from 'zod'
import { isHtmlNotice } from '../../../file-text/index.ts'
import { parseKnown } from '../../rest.ts'

const MOST_PARTS = 300
const DEEPEST = 30

/** https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages (MessagePart) */
export const MessagePart = z.object({
  mimeType: z.string().nullish(),
  filename: z.string().nullish(),
  headers: z.array(z.object({ name: z.string().nullish(), value: z.string().nullish() })).nullish(),
  body: z
    .object({ data: z.string().nullish(), attachmentId: z.string().nullish(), size: z.number().nullish() })
    .nullish(),
  /** Parsed part by part, because a mail may nest them without end. */
  parts: z.array(z.unknown()).nullish(),
})
export type MessagePart = z.output<typeof MessagePart>

/** A part of the message's own text, in reading order. */
export interface TextPart {
  format: 'text' | 'html'
  charset: string | null
  /** The decoded bytes; null when they must be fetched by `attachmentId`. */
  bytes: Uint8Array | null
  attachmentId: string | null
  /** Whether it belongs to an attached mail (message/rfc822). */
  isAttachedMail: boolean
}

export interface AttachmentPart {
  fileName: string
  mimeType: string
  size: number
  bytes: Uint8Array | null
  attachmentId: string | null
  /** Whether it is shown beside the text, unlike the pictures in it. */
  isBeside: boolean
}

export interface MailParts {
  texts: TextPart[]
  attachments: AttachmentPart[]
}

/** Splits a message's MIME parts, plain text over HTML, named parts as attachments. At most 300 parts, 30 deep. */
export function partsOf(payload: MessagePart): MailParts {
  const budget = { parts: MOST_PARTS }
  return collect(payload, 0, budget)
}

function collect(part: MessagePart, depth: number, budget: { parts: number }): MailParts {
  budget.parts -= 1
  if (budget.parts < 0 || depth > DEEPEST) return { texts: [], attachments: [] }
  const mimeType = part.mimeType?.toLowerCase() ?? 'text/plain'
  const children = parseKnown(part.parts ?? [], MessagePart).map((child) => collect(child, depth + 1, budget))
  if (children.length > 0) return combine(mimeType, children)
  const { data, attachmentId, size } = part.body ?? {}
  const content = {
    bytes: data ? Buffer.from(data, 'base64url') : null,
    attachmentId: attachmentId ?? null,
  }
  if (content.bytes === null && content.attachmentId === null) return { texts: [], attachments: [] }
  const isBeside = isDisposedOf(part)
  if (part.filename || isBeside) {
    return {
      texts: [],
      attachments: [{ ...content, fileName: fileNameOf(part), mimeType, size: size ?? 0, isBeside }],
    }
  }
  if (mimeType !== 'text/plain' && mimeType !== 'text/html') return { texts: [], attachments: [] }
  const format = mimeType === 'text/html' ? 'html' : 'text'
  return { texts: [{ ...content, format, charset: charsetOf(part), isAttachedMail: false }], attachments: [] }
}

function combine(mimeType: string, children: readonly MailParts[]): MailParts {
  const attachments = children.flatMap((child) => child.attachments)
  if (mimeType === 'multipart/alternative') return { texts: bestOf(children), attachments }
  const texts = children.flatMap((child) => child.texts)
  if (mimeType === 'message/rfc822') for (const text of texts) text.isAttachedMail = true
  return { texts, attachments }
}

// Some senders put an empty plain text next to the HTML, or one that says to open the HTML.
function bestOf(alternatives: readonly MailParts[]): TextPart[] {
  const plain = alternatives.find(({ texts }) =>
    texts.some((text) => text.format === 'text' && !isBlank(text) && !isNotice(text)),
  )
  const html = alternatives.findLast(({ texts }) => texts.some((text) => !isBlank(text)))
  return (plain ?? html)?.texts ?? []
}

const isBlank = ({ bytes }: TextPart) => bytes !== null && Buffer.from(bytes).toString('latin1').trim() === ''

const isNotice = ({ bytes }: TextPart) =>
  bytes !== null && isHtmlNotice(Buffer.from(bytes).toString('latin1'))

const isDisposedOf = (part: MessagePart) =>
  /^\s*attachment\b/i.test(headerOf(part, 'Content-Disposition') ?? '')

// Gmail decodes RFC 2231. Encoded words in a file name violate it but are common.
const fileNameOf = (part: MessagePart) => decodeWords(part.filename ?? '').trim() || 'unnamed'

function charsetOf(part: MessagePart): string | null {
  return /charset\s*=\s*["']?([^\s"';]{1,40})/i.exec(headerOf(part, 'Content-Type') ?? '')?.[1] ?? null
}

/** A header's value. Names are case-insensitive (RFC 5322, 1.2.2). */
export function headerOf(part: MessagePart, name: string): string | null {
  const wanted = name.toLowerCase()
  return part.headers?.find((header) => header.name?.toLowerCase() === wanted)?.value ?? null
}
