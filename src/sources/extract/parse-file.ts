import { convert, type HtmlToTextOptions } from 'html-to-text'
import { cutToBytes } from '../../providers/item-text.ts'
import { decodeText } from './decode-text.ts'
import type { OfficeText } from './office/office-text.ts'
import { refuseOldOffice } from './office/old-office.ts'
import type { TextFormat } from './text-format.ts'

export interface ParseJob {
  format: TextFormat
  bytes: Uint8Array
  charset: string | null
  maxTextBytes: number
}

/** What a file says, tidied, at most `maxTextBytes` of UTF-8. */
export interface ParsedText {
  text: string
  truncated: boolean
}

/** Takes the text out of one file. Throws what its parser throws; has no bounds of its own but the text's length. */
export async function parseFile(job: ParseJob): Promise<ParsedText> {
  switch (job.format) {
    case 'pdf':
      return await parsePdf(job)
    case 'word':
      return finish(await parseWord(job.bytes), job.maxTextBytes)
    case 'excel':
      return finishOffice(await parseExcel(job), job.maxTextBytes)
    case 'powerpoint':
      return finishOffice(await parsePowerPoint(job), job.maxTextBytes)
    case 'html':
      return finish(convert(decodeText(job.bytes, job.charset), HTML_OPTIONS), job.maxTextBytes)
    case 'text':
      return finish(decodeText(job.bytes, job.charset), job.maxTextBytes)
  }
}

const HTML_OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  // Deep nesting is layout at best; cut it before it costs the stack.
  limits: { maxDepth: 200, maxInputLength: 1 << 25 },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { ignoreHref: true } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
}

async function parseWord(bytes: Uint8Array): Promise<string> {
  refuseOldOffice(bytes)
  const { default: mammoth } = await import('mammoth')
  const { value } = await mammoth.extractRawText({ buffer: Buffer.from(bytes) })
  return value
}

async function parseExcel({ bytes, maxTextBytes }: ParseJob): Promise<OfficeText> {
  const { readWorkbook } = await import('./office/read-workbook.ts')
  return await readWorkbook(bytes, maxTextBytes)
}

async function parsePowerPoint({ bytes, maxTextBytes }: ParseJob): Promise<OfficeText> {
  const { readPresentation } = await import('./office/read-presentation.ts')
  return await readPresentation(bytes, maxTextBytes)
}

function finishOffice({ text, stopped }: OfficeText, maxTextBytes: number): ParsedText {
  const finished = finish(text, maxTextBytes)
  return { text: finished.text, truncated: finished.truncated || stopped }
}

// Page by page rather than all at once, so that a long document stops where its text is full.
async function parsePdf(job: ParseJob): Promise<ParsedText> {
  const { getDocumentProxy } = await import('unpdf')
  const document = await getDocumentProxy(new Uint8Array(job.bytes), { maxImageSize: 1 })
  const pages: string[] = []
  let length = 0
  for (let number = 1; number <= document.numPages && length <= job.maxTextBytes; number += 1) {
    const page = await document.getPage(number)
    const content = await page.getTextContent()
    const lines = content.items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    page.cleanup()
    pages.push(lines.join(''))
    length += pages.at(-1)?.length ?? 0
  }
  return finish(pages.join('\n\n'), job.maxTextBytes)
}

function finish(text: string, maxTextBytes: number): ParsedText {
  const whole = tidy(text)
  const kept = cutToBytes(whole, maxTextBytes)
  return { text: kept, truncated: kept.length < whole.length }
}

/** Line ends unified, blanks at line ends and runs of blank lines removed. */
function tidy(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n')
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
