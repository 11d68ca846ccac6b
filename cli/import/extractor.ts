import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { messageOf } from '../failures.ts'
import { decodeText } from './decode-text.ts'
import { extractMarkdown, extractRst } from './extract-markdown.ts'
import type { ExtractedDocument } from './extracted-document.ts'
import type { FileType } from './file-types.ts'

export interface WorkerRequest {
  type: Exclude<FileType, 'markdown' | 'rst' | 'text'>
  bytes: Uint8Array
}

export type WorkerAnswer = { document: ExtractedDocument } | { failure: string }

export interface Extractor {
  /** One file at a time; `isFrontPage` for a README or index. @throws Error that says what is wrong with the file */
  extract(type: FileType, bytes: Uint8Array, isFrontPage?: boolean): Promise<ExtractedDocument>
  close(): Promise<void>
}

const EXTRACT_TIMEOUT_MS = 60_000
const WORKER_HEAP_MIB = 1_024

/**
 * Reads files of all kinds. Plain text is read here; HTML, PDF and Office files on a thread of its own with a time and a
 * memory limit, so that a file that hangs or exhausts its parser costs that file only.
 */
export function createExtractor(timeoutMs = EXTRACT_TIMEOUT_MS): Extractor {
  let worker: Worker | undefined
  const stop = async (): Promise<void> => {
    const running = worker
    worker = undefined
    await running?.terminate()
  }
  const extractOnThread = async (request: WorkerRequest): Promise<ExtractedDocument> => {
    worker ??= startWorker()
    const running = worker
    const signal = AbortSignal.timeout(timeoutMs)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, this is a thread
    running.postMessage(request)
    let answers: WorkerAnswer[]
    try {
      // Rejects when the worker dies, as it does when its memory is used up.
      answers = await once(running, 'message', { signal })
    } catch (error) {
      await stop()
      const reason = signal.aborted ? `it could not be read within ${timeoutMs / 1000} s` : messageOf(error)
      throw new Error(reason, { cause: error })
    }
    const [answer] = answers
    if (answer === undefined || 'failure' in answer)
      throw new Error(answer?.failure ?? 'the parser gave no answer')
    return answer.document
  }
  return {
    async extract(type, bytes, isFrontPage = false) {
      if (type === 'markdown') return extractMarkdown(decodeText(bytes), isFrontPage)
      if (type === 'rst') return extractRst(decodeText(bytes))
      if (type === 'text') return { title: '', text: decodeText(bytes) }
      return await extractOnThread({ type, bytes })
    },
    close: stop,
  }
}

function startWorker(): Worker {
  return new Worker(new URL('./extract-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MIB },
    // Parsers write warnings; they are nobody's results.
    stdout: true,
    stderr: true,
  })
}
