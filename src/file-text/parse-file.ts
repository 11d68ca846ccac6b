import { cutToBytes } from '../text/cut-to-bytes.ts'
import { decodeHtml, decodeTextFile } from './decode-text.ts'
import type { FileText } from './file-text.ts'
import type { OcrLanguage, OcrLanguages } from './ocr/languages.ts'
import type { TextFormat } from './text-format.ts'
import { titleFromPath } from './title-from-path.ts'

export interface ParseJob {
  format: TextFormat
  bytes: Uint8Array
  /** As declared with the bytes, for text and HTML; null: undeclared. */
  charset: string | null
  /** The file's original path, with forward slashes; `''`: none. */
  path: string
  maxTextBytes: number
  /** What to recognize: an image, or only this page of a PDF; null: nothing. */
  recognition: { languages: OcrLanguages; page: number | null } | null
}

export interface ExtractedText {
  /** The file's own title, else one from its path; `''`: none. */
  title: string
  /** Cleaned Markdown or plain text, at most `maxTextBytes` of UTF-8; `''`: no text. */
  text: string
  /** Whether text was cut off. */
  truncated: boolean
}

export interface ParsedFile extends ExtractedText {
  /** Only if some pages have no text: the text of all, and the numbers (from 1) of those. */
  pages?: string[] | undefined
  scans?: number[] | undefined
  /** Of recognized text. */
  language?: OcrLanguage | undefined
}

/** Extracts the text of one file, and limits only the text's length. @throws what its parser throws */
export async function parseFile(job: ParseJob): Promise<ParsedFile> {
  const { title, text, stopped, pages = [], scans = [], language } = await readFileText(job)
  const tidied = tidy(text, job.maxTextBytes)
  const kept = cutToBytes(tidied.text, job.maxTextBytes)
  return {
    title: title || titleFromPath(job.path),
    text: kept,
    truncated: stopped === true || tidied.stopped || kept.length < tidied.text.length,
    ...(scans.length > 0 && { pages: pages.map((page) => tidy(page, job.maxTextBytes).text), scans }),
    language,
  }
}

// Loads the parsers of rarer formats on demand, because loading takes time.
async function readFileText(job: ParseJob): Promise<FileText> {
  const { format, bytes, charset, path, maxTextBytes, recognition } = job
  if (recognition !== null && (format === 'image' || recognition.page !== null))
    return await (await import('./ocr/read-image.ts')).readImage(bytes, recognition)
  switch (format) {
    case 'image':
      return { text: '' }
    case 'pdf':
      return await (await import('./read-pdf.ts')).readPdf(bytes, maxTextBytes)
    case 'word':
      return await (await import('./read-word.ts')).readWord(bytes)
    case 'excel':
      return await (await import('./office/read-workbook.ts')).readWorkbook(bytes, maxTextBytes)
    case 'powerpoint':
      return await (await import('./office/read-presentation.ts')).readPresentation(bytes, maxTextBytes)
    case 'odt':
      return await (await import('./office/read-text-document.ts')).readTextDocument(bytes, maxTextBytes)
    case 'mail':
      return await (await import('./read-mail.ts')).readMail(bytes)
    case 'html':
      return (await import('./read-html.ts')).readHtml(decodeHtml(bytes, charset))
    case 'markdown':
      return (await import('./read-markdown.ts')).readMarkdown(decodeTextFile(bytes, charset), path)
    case 'rst':
      return (await import('./read-markdown.ts')).readRst(decodeTextFile(bytes, charset))
    case 'csv':
      return (await import('./read-csv.ts')).readCsv(decodeTextFile(bytes, charset), maxTextBytes)
    case 'text':
      return { text: decodeTextFile(bytes, charset) }
  }
}

/** Normalizes line ends and removes trailing spaces and repeated blank lines, up to the needed length. */
function tidy(source: string, maxCharacters: number): { text: string; stopped: boolean } {
  const text = source.replaceAll(/\r\n?/g, '\n')
  const lines: string[] = []
  let length = 0
  for (let at = 0; at < text.length;) {
    if (length > maxCharacters) return { text: lines.join('\n').trim(), stopped: true }
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline
    const line = text.slice(at, end).trimEnd()
    at = end + 1
    // Drops leading blank lines and keeps one of several.
    if (line === '' && (lines.at(-1) ?? '') === '') continue
    lines.push(line)
    length += line.length + 1
  }
  return { text: lines.join('\n').trim(), stopped: false }
}
