import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { z } from 'zod'
import { ExtractionError } from './extraction-error.ts'
import { OCR_LANGUAGES } from './ocr/languages.ts'
import type { ExtractedText, ParsedFile, ParseJob } from './parse-file.ts'
import { readScans, type Recognition } from './read-scans.ts'
import { type TextFormat, textFormatOf } from './text-format.ts'
import { codeOf, messageOf } from '../kernel/thrown-errors.ts'

const WATCH_EVERY_MS = 50
const IDLE_MS = 30_000
// Parsers leak a little, so a thread is replaced after this many files.
const JOBS_PER_THREAD = 500

export interface ExtractInput extends Omit<ParseJob, 'recognition'> {
  /** For the file, and for each scanned page of it. */
  timeoutMs: number
  /** Heap and buffers of the parsing thread together. */
  memoryMb: number
  signal: AbortSignal
  /** Ends the recognition of scanned pages early, and keeps those read so far. */
  enough?: AbortSignal | undefined
}

export interface TextExtractor {
  /** The format of a file that this extractor reads, by its media type and name; null: unsupported. */
  readonly formatOf: (mimeType: string, fileName: string) => TextFormat | null
  /** The title and text of a file. @throws ExtractionError, or the signal's reason */
  extract(input: ExtractInput): Promise<ExtractedText>
  close(): Promise<void>
}

interface Thread {
  worker: Worker
  memoryMb: number
  jobs: number
  idleTimer: NodeJS.Timeout | null
}

type Job = ExtractInput & ParseJob

const workerAnswer = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    title: z.string(),
    text: z.string(),
    truncated: z.boolean(),
    pages: z.array(z.string()).optional(),
    scans: z.array(z.number()).optional(),
    language: z.enum(OCR_LANGUAGES).optional(),
  }),
  z.object({ ok: z.literal(false), message: z.string() }),
])

/** Extracts text in worker threads, at most `threads` at once. Without `recognition`, it reads no images. */
export function createTextExtractor({
  threads = 2,
  recognition = null,
}: { threads?: number; recognition?: Recognition | null } = {}): TextExtractor {
  const { parse, close } = createParsingThreads(threads)
  return {
    formatOf(mimeType, fileName) {
      const format = textFormatOf(mimeType, fileName)
      return format === 'image' && recognition === null ? null : format
    },
    async extract(input) {
      const languages = input.format === 'image' ? recognition?.languages : undefined
      const parsed = await parse({ ...input, recognition: languages ? { languages, page: null } : null })
      const { title, text, truncated, scans } = parsed
      if (scans === undefined || recognition === null) return { title, text, truncated }
      return await readScans(parsed, recognition, input, (page, inLanguages, signal) =>
        parse({ ...input, signal, recognition: { languages: inLanguages, page } }),
      )
    },
    close,
  }
}

interface ParsingThreads {
  /** @throws ExtractionError, and the signal's reason when aborted */
  parse(job: Job): Promise<ParsedFile>
  close(): Promise<void>
}

/** Parses files in worker threads, so that a file that hangs, crashes or expands costs only its thread. */
function createParsingThreads(threads: number): ParsingThreads {
  const idle: Thread[] = []
  const limit = pLimit(threads)

  async function takeThread(memoryMb: number): Promise<Thread> {
    const found = idle.pop()
    if (found?.idleTimer) clearTimeout(found.idleTimer)
    if (found && found.memoryMb === memoryMb) return found
    await found?.worker.terminate()
    const thread = startThread(memoryMb)
    // A parser can leave work behind that ends the thread between two files.
    thread.worker.on('error', () => drop(thread)).on('exit', () => drop(thread))
    return thread
  }

  function drop(thread: Thread): void {
    if (thread.idleTimer) clearTimeout(thread.idleTimer)
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
    void thread.worker.terminate()
  }

  function giveBack(thread: Thread): void {
    if (thread.jobs >= JOBS_PER_THREAD) {
      void thread.worker.terminate()
      return
    }
    thread.idleTimer = setTimeout(() => drop(thread), IDLE_MS).unref()
    idle.push(thread)
  }

  async function parse(input: Job): Promise<ParsedFile> {
    input.signal.throwIfAborted()
    const thread = await takeThread(input.memoryMb)
    const result = await runJob(thread, input)
    giveBack(thread)
    if (result.ok) return result
    throw new ExtractionError('unreadable', `The file cannot be read: ${result.message}`)
  }

  async function close(): Promise<void> {
    const ending = idle.splice(0).map(async ({ worker, idleTimer }) => {
      if (idleTimer) clearTimeout(idleTimer)
      await worker.terminate()
    })
    await Promise.all(ending)
  }

  return { parse: (input) => limit(parse, input), close }
}

function startThread(memoryMb: number): Thread {
  const worker = new Worker(new URL('./extract-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    // Discards parsers' warnings about odd files.
    stdout: true,
    stderr: true,
  })
  worker.unref()
  return { worker, memoryMb, jobs: 0, idleTimer: null }
}

/** Runs one file on one thread. Ends a thread that is too slow, too large or dead; the error says which. */
async function runJob(thread: Thread, input: Job): Promise<z.infer<typeof workerAnswer>> {
  const { worker } = thread
  thread.jobs += 1
  worker.ref()
  const stops: (() => void)[] = []
  const answer = new Promise<unknown>((resolve, reject) => {
    const on = (event: 'message' | 'error' | 'exit', listener: (value: unknown) => void) => {
      worker.on(event, listener)
      stops.push(() => worker.off(event, listener))
    }
    on('message', resolve)
    on('error', (error) => reject(diedOf(error, input)))
    on('exit', () => reject(new ExtractionError('unreadable', 'The file cannot be read: its parser crashed')))
    const stopWatching = watch(worker, input, reject)
    const abort = () => reject(input.signal.reason)
    input.signal.addEventListener('abort', abort, { once: true })
    stops.push(stopWatching, () => input.signal.removeEventListener('abort', abort))
  })
  try {
    const { format, bytes, charset, path, maxTextBytes, recognition } = input
    worker.postMessage({ format, bytes, charset, path, maxTextBytes, recognition } satisfies ParseJob, [])
    return workerAnswer.parse(await answer)
  } catch (error) {
    await worker.terminate()
    throw error
  } finally {
    for (const stop of stops) stop()
    worker.unref()
  }
}

/** Rejects when the time is up or the thread uses too much memory; V8's own limit ignores buffers. */
function watch(worker: Worker, input: ExtractInput, reject: (error: ExtractionError) => void): () => void {
  const seconds = input.timeoutMs / 1000
  const tooLong = () => reject(new ExtractionError('time', `The file took longer than ${seconds} s to read`))
  const timeout = setTimeout(tooLong, input.timeoutMs)
  const look = async () => {
    const { used_heap_size: heap, external_memory: buffers } = await worker.getHeapStatistics()
    if (heap + buffers > input.memoryMb * 1024 * 1024) reject(tooLarge(input))
  }
  // A thread that just ended has no statistics; its exit event reports that. A bare interval, because the
  // command line also reads files and has no background tasks.
  const interval = setInterval(() => void look().catch(() => undefined), WATCH_EVERY_MS)
  return () => {
    clearTimeout(timeout)
    clearInterval(interval)
  }
}

function diedOf(error: unknown, input: ExtractInput): ExtractionError {
  if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') return tooLarge(input)
  const words = messageOf(error)
  return new ExtractionError('unreadable', `The file cannot be read: ${words}`, { cause: error })
}

const tooLarge = (input: ExtractInput) =>
  new ExtractionError('memory', `The file needs more than ${input.memoryMb} MB to be read`)
