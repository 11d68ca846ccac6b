import type { LimitFunction } from 'p-limit'
import { z } from 'zod'
import type { TextExtractor, TextFormat } from '../../../file-text/index.ts'
import { isRejected, type ProviderSession } from '../../adapter.ts'
import { attachmentNames } from '../../attachment-names.ts'
import { extractFile, tooLarge } from '../../extract-file.ts'
import type { Graph } from '../shared/graph.ts'

const READ_MAX = 5
/** Attachments get at most this fraction of an item's text; the mail's own text comes first. */
const SHARE = 1 / 4
const FILE = '#microsoft.graph.fileAttachment'
const ITEM = '#microsoft.graph.itemAttachment'

const Attachment = z.object({
  '@odata.type': z.string(),
  id: z.string().min(1),
  name: z.string().nullish(),
  contentType: z.string().nullish(),
  size: z.number().nullish(),
  isInline: z.boolean().nullish(),
})
type Attachment = z.output<typeof Attachment>

export interface AttachmentReader {
  graph: Graph
  session: ProviderSession
  extractor: TextExtractor
  /** Only attachments are large, so one is in memory at a time. */
  oneAttachment: LimitFunction
}

export interface ReadAttachments {
  names: string[]
  texts: string[]
  /** Attachments that are not read, with the reason. */
  unread: string[]
}

/** The text of a message's first few readable attachments. @throws ProviderError unless it is about one of them */
export async function readAttachments(reader: AttachmentReader, path: string): Promise<ReadAttachments> {
  const listed = await reader.graph.all(
    `${path}/attachments?$select=id,name,contentType,size,isInline`,
    Attachment,
  )
  const isReadable = (one: Attachment): boolean => formatOf(reader, one) !== null
  const others = listed.filter((one) => one.isInline !== true && !isReadable(one))
  const readable = listed.filter(isReadable)
  const read: ReadAttachments = {
    names: listed.filter(({ isInline }) => isInline !== true).map(nameOf),
    texts: [],
    unread: [],
  }
  for (const one of readable.slice(0, READ_MAX)) {
    const outcome = await textOrReason(reader, path, one)
    if ('reason' in outcome) read.unread.push(`${nameOf(one)}: ${outcome.reason}`)
    else if (outcome.text !== '') read.texts.push(`${nameOf(one)}:\n${outcome.text}`)
  }
  if (others.length > 0) {
    const names = others.map((one) => `${nameOf(one)} (${one.contentType ?? 'a link'})`)
    read.unread.push(`attachments of these types are not read: ${attachmentNames(names)}`)
  }
  const beyond = readable.slice(READ_MAX).map(nameOf)
  if (beyond.length > 0)
    read.unread.push(`only the first ${READ_MAX} attachments are read, not ${attachmentNames(beyond)}`)
  return read
}

const nameOf = ({ name }: Attachment): string => name || 'unnamed'

/** The format of an attachment that is read; pictures within the text, such as logos, are not. */
function formatOf({ extractor }: AttachmentReader, one: Attachment): TextFormat | null {
  if (one['@odata.type'] === ITEM) return 'mail'
  if (one['@odata.type'] !== FILE) return null
  const format = extractor.formatOf(one.contentType ?? '', nameOf(one))
  return format === 'image' && one.isInline === true ? null : format
}

async function textOrReason(
  reader: AttachmentReader,
  path: string,
  one: Attachment,
): Promise<{ text: string } | { reason: string }> {
  try {
    return { text: await reader.oneAttachment(() => textOf(reader, path, one)) }
  } catch (error) {
    if (isRejected(error)) return { reason: error.message }
    throw error
  }
}

async function textOf(reader: AttachmentReader, path: string, one: Attachment): Promise<string> {
  if ((one.size ?? 0) > reader.session.limits.maxDownloadBytes)
    throw tooLarge(reader.session, 'The attachment')
  const file = {
    format: formatOf(reader, one) ?? 'text',
    bytes: await reader.graph.bytes(`${path}/attachments/${encodeURIComponent(one.id)}/$value`),
    charset: null,
    path: nameOf(one),
  }
  return (await extractFile(reader, file, SHARE)).text
}
