import PostalMime, { type Address, type Email } from 'postal-mime'
import type { FileText } from './file-text.ts'
import { isHtmlNotice } from './html-notice.ts'
import { oneLine } from './markdown-table.ts'
import { readHtml } from './read-html.ts'

const MIB = 1024 * 1024
const NESTING_MAX = 30
const ATTACHED_MAILS_MAX = 5
const HEADERS_BYTES_MAX = MIB
const PEOPLE_MAX = 50
const ATTACHMENTS_MAX = 100

/** An email as sent: sender, recipients, date, text, names of attachments. Quotations stay. @throws Error */
export async function readMail(bytes: Uint8Array): Promise<FileText> {
  const mail = await PostalMime.parse(bytes, {
    maxNestingDepth: NESTING_MAX,
    maxHeadersSize: HEADERS_BYTES_MAX,
    maxRfc822NestingDepth: ATTACHED_MAILS_MAX,
  })
  const headers = headersOf(mail)
  if (headers.length === 0) throw new Error('it is not an email: it has no sender, recipient or date')
  const parts = [headers.join('\n'), wordsOf(mail), attachmentsOf(mail)]
  const title = oneLine(mail.subject ?? '')
  return { title: title || '(no subject)', text: parts.filter((part) => part.trim() !== '').join('\n\n') }
}

function headersOf(mail: Email): string[] {
  const lines: [string, string][] = [
    ['From', peopleIn(mail.from === undefined ? [] : [mail.from])],
    ['To', peopleIn(mail.to ?? [])],
    ['Cc', peopleIn(mail.cc ?? [])],
    ['Date', mail.date ?? ''],
  ]
  return lines.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${oneLine(value)}`)
}

/** Prefers plain text, unless it is empty or only a notice to open the HTML version. */
function wordsOf({ text = '', html = '' }: Email): string {
  const isWhole = text.trim() !== '' && !isHtmlNotice(text)
  return (isWhole ? '' : readHtml(html).text) || text
}

function attachmentsOf({ attachments }: Email): string {
  const names = attachments
    .filter(({ related }) => related !== true)
    .map(({ filename }) => oneLine(filename ?? 'unnamed'))
  return names.length === 0 ? '' : `Attachments: ${listed(names, ATTACHMENTS_MAX)}`
}

function peopleIn(addresses: readonly Address[]): string {
  const people = addresses.flatMap((one) => one.group ?? [one])
  const names = people.map(({ name, address }) =>
    name === '' ? (address ?? '') : address ? `${name} <${address}>` : name,
  )
  return listed(
    names.filter((name) => name !== ''),
    PEOPLE_MAX,
  )
}

function listed(names: readonly string[], most: number): string {
  const more = names.length - most
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
