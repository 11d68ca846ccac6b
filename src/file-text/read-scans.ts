import pLimit from 'p-limit'
import { cutToBytes } from '../text/cut-to-bytes.ts'
import { ExtractionError } from './extraction-error.ts'
import { type FileLimits, type RecognitionLimits, SERVICE_FILE_LIMITS } from './limits.ts'
import type { OcrLanguages } from './ocr/languages.ts'
import type { ExtractedText, ParsedFile } from './parse-file.ts'

export interface Recognition extends RecognitionLimits {
  languages: OcrLanguages
}

/** Recognition of scans and images in the service; null: none. */
export const recognitionOf = (
  languages: OcrLanguages | null,
  { recognition }: Pick<FileLimits, 'recognition'> = SERVICE_FILE_LIMITS,
): Recognition | null => languages && { languages, ...recognition }

interface Reading {
  maxTextBytes: number
  signal: AbortSignal
  /** Ends recognition early, and keeps the pages read so far. */
  enough?: AbortSignal | undefined
}

/** Recognizes one page; the first language is tried first. */
type ReadPage = (page: number, languages: OcrLanguages, signal: AbortSignal) => Promise<ParsedFile>

/** Leaves threads for other files. */
const PAGES_AT_ONCE = 2

/** Adds the text of scanned pages, each recognized by its own job. @throws ExtractionError if no page gave text */
export async function readScans(
  document: ParsedFile,
  { pages: most, timeoutMs, languages: given }: Recognition,
  { maxTextBytes, signal, enough }: Reading,
  readPage: ReadPage,
): Promise<ExtractedText> {
  const { title, pages = [], scans = [] } = document
  const over = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(enough ? [enough] : [])])
  const stop = AbortSignal.any([signal, over])
  let languages = given
  let length = document.text.length
  let failure: ExtractionError | null = null
  const addPage = async (number: number): Promise<void> => {
    if (length > maxTextBytes || stop.aborted) return
    try {
      const { text, language } = await readPage(number, languages, stop)
      const typed = pages[number - 1] ?? ''
      pages[number - 1] = typed === '' ? text : `${text}\n\n${typed}`
      length += text.length
      if (number === scans[0] && language) languages = withFirst(language, languages)
    } catch (error) {
      if (!stop.aborted && !(error instanceof ExtractionError)) throw error
      if (error instanceof ExtractionError) failure ??= error
    }
  }
  const [first = 0, ...others] = scans.slice(0, most)
  await addPage(first)
  await pLimit(PAGES_AT_ONCE).map(others, addPage)
  signal.throwIfAborted()
  if (over.aborted) failure ??= new ExtractionError('time', 'The scanned pages took too long to recognize')
  const text = pages.filter((page) => page !== '').join('\n\n')
  const kept = cutToBytes(text, maxTextBytes)
  if (kept === '' && failure !== null) throw failure
  const isPartial = document.truncated || failure !== null || scans.length > most
  return { title, text: kept, truncated: isPartial || kept.length < text.length }
}

const withFirst = (first: OcrLanguages[number], languages: OcrLanguages): OcrLanguages => [
  first,
  ...languages.filter((language) => language !== first),
]
