/** Reads what can go wrong badly (broken PDF and Word files, huge pages) on a thread of its own; see extractor.ts. */
import { parentPort } from 'node:worker_threads'
import { messageOf } from '../failures.ts'
import { decodeText } from './decode-text.ts'
import { extractHtml } from './extract-html.ts'
import type { ExtractedDocument } from './extracted-document.ts'
import type { WorkerAnswer, WorkerRequest } from './extractor.ts'

/** What writers put into a PDF's title when its author did not. */
const NO_PDF_TITLE = /^(?:untitled|microsoft word\b.*|.*\.(?:docx?|indd|tex|dvi|pdf|pptx?)|slide 1)$/i

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

function extract({ type, bytes }: WorkerRequest): Promise<ExtractedDocument> | ExtractedDocument {
  if (type === 'pdf') return extractPdf(bytes)
  return type === 'word' ? extractWord(bytes) : extractHtml(decodeText(bytes, true))
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
