/** Reads what can go wrong badly (broken PDF and Office files, huge pages) on a thread of its own; see extractor.ts. */
import { parentPort } from 'node:worker_threads'
import { messageOf } from '../failures.ts'
import { decodeText } from './decode-text.ts'
import { extractHtml } from './extract-html.ts'
import type { ExtractedDocument } from './extracted-document.ts'
import type { WorkerAnswer, WorkerRequest } from './extractor.ts'

/** What writers put into a PDF's title when its author did not. */
const NO_PDF_TITLE = /^(?:untitled|microsoft word\b.*|.*\.(?:docx?|indd|tex|dvi|pdf|pptx?)|slide 1)$/i

/** Of a workbook or presentation; what is beyond is not imported. */
const OFFICE_TEXT_BYTES_MAX = 32 * 1024 * 1024

async function extractPdf(bytes: Uint8Array): Promise<ExtractedDocument> {
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf')
  const document = await getDocumentProxy(bytes, { verbosity: 0 })
  try {
    const { text } = await extractText(document, { mergePages: false })
    const { info } = await getMeta(document)
    const title = typeof info?.Title === 'string' ? info.Title.trim() : ''
    return { title: NO_PDF_TITLE.test(title) ? '' : title, text: text.join('\n\n').trim() }
  } finally {
    await document.loadingTask.destroy()
  }
}

async function extractWord(bytes: Uint8Array): Promise<ExtractedDocument> {
  const { default: mammoth } = await import('mammoth')
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) })
  return extractHtml(value)
}

async function extractExcel(bytes: Uint8Array): Promise<ExtractedDocument> {
  const { readWorkbook } = await import('../../src/sources/extract/office/read-workbook.ts')
  return { title: '', text: (await readWorkbook(bytes, OFFICE_TEXT_BYTES_MAX)).text }
}

async function extractPowerPoint(bytes: Uint8Array): Promise<ExtractedDocument> {
  const { readPresentation } = await import('../../src/sources/extract/office/read-presentation.ts')
  return { title: '', text: (await readPresentation(bytes, OFFICE_TEXT_BYTES_MAX)).text }
}

async function extract({ type, bytes }: WorkerRequest): Promise<ExtractedDocument> {
  switch (type) {
    case 'pdf':
      return await extractPdf(bytes)
    case 'word':
      return await extractWord(bytes)
    case 'excel':
      return await extractExcel(bytes)
    case 'powerpoint':
      return await extractPowerPoint(bytes)
    case 'html':
      return extractHtml(decodeText(bytes, true))
  }
}

parentPort?.on('message', async (request: WorkerRequest) => {
  let answer: WorkerAnswer
  try {
    answer = { document: await extract(request) }
  } catch (error) {
    answer = { failure: messageOf(error) }
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, this is a thread
  parentPort?.postMessage(answer)
})
