import { z } from 'zod'
import { isMissing, isRejected } from '../../adapter.ts'
import { extractFile, tooLarge } from '../../extract-file.ts'
import { threadText } from '../../thread.ts'
import type { PageReader, Place } from './page-reader.ts'

const LISTED_MAX = 100
const READ_MAX = 10
/** An attachment gets at most this fraction of an item's text; the page's own text comes first. */
const SHARE = 1 / 4

const Attachment = z.object({
  id: z.string().regex(/^\w+$/),
  title: z.string(),
  mediaType: z.string().nullish(),
  fileSize: z.number().nullish(),
})
type Attachment = z.output<typeof Attachment>

export interface ReadAttachments {
  ids: string[]
  names: string[]
  texts: string[]
  /** Attachments that are not read, with the reason. */
  unread: string[]
}

/** The text of a page's first few readable attachments. @throws ProviderError unless it is about one of them */
export async function readAttachments(reader: PageReader, { id, list }: Place): Promise<ReadAttachments> {
  const { confluence, extractor } = reader
  const read: ReadAttachments = { ids: [], names: [], texts: [], unread: [] }
  let left = READ_MAX
  const parameters = { status: 'current', limit: String(LISTED_MAX) }
  for await (const listed of confluence.pages(`api/v2/${list}/${id}/attachments`, Attachment, parameters)) {
    for (const one of listed) {
      read.ids.push(one.id)
      read.names.push(nameOf(one))
      // Pictures are part of a page's layout.
      const format = extractor.formatOf(one.mediaType ?? '', nameOf(one))
      if (format === null || format === 'image') continue
      left -= 1
      const outcome = left < 0 ? TOO_MANY : await textOrReason(reader, id, one)
      if ('reason' in outcome) read.unread.push(`${nameOf(one)}: ${outcome.reason}`)
      else if (outcome.text !== '') read.texts.push(outcome.text)
    }
    if (read.ids.length >= LISTED_MAX) break
  }
  return read
}

const TOO_MANY = { reason: `only the first ${READ_MAX} attachments are read` }

const nameOf = ({ title }: Attachment): string => title.replaceAll(/\s+/g, ' ').trim() || 'unnamed'

async function textOrReason(
  reader: PageReader,
  pageId: string,
  one: Attachment,
): Promise<{ text: string } | { reason: string }> {
  try {
    return { text: await reader.oneAttachment(() => textOf(reader, pageId, one)) }
  } catch (error) {
    // It was deleted meanwhile; the next run handles that.
    if (isMissing(error)) return { text: '' }
    if (isRejected(error)) return { reason: error.message }
    throw error
  }
}

async function textOf(reader: PageReader, pageId: string, one: Attachment): Promise<string> {
  const { confluence, extractor, session } = reader
  const { limits } = session
  if ((one.fileSize ?? 0) > limits.maxDownloadBytes) throw tooLarge(session, 'it')
  const file = {
    format: extractor.formatOf(one.mediaType ?? '', nameOf(one)) ?? 'text',
    bytes: await confluence.download(`rest/api/content/${pageId}/child/attachment/${one.id}/download`),
    charset: null,
    path: nameOf(one),
  }
  const { text } = await extractFile(reader, file, SHARE)
  return text.trim() === '' ? '' : threadText(`${nameOf(one)}:`, text, [], limits.maxTextBytes)
}
