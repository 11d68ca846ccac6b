import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { ERROR_CODES, type ErrorCode } from '../kernel/error-codes.ts'
import { AppError } from '../kernel/errors.ts'
import { createFairLimit } from '../kernel/fair-limit.ts'
import { unavailable } from '../kernel/unavailable.ts'
import type { BodyLimits } from './json-body.ts'

/** How the bodies of a route are read. */
export interface BodyReading {
  limits?: BodyLimits
  /** The fields of the object at the top; the reading ends at any other one. */
  fields?: readonly string[]
  /**
   * The module (its URL) that exports the route's schema, and under which name. What the schema makes of a body crosses
   * threads, so it should be few long texts rather than many small values.
   */
  schema: { module: string; name: string }
}

export interface BodyReadJob {
  bytes: Uint8Array
  reading: BodyReading
}

export interface BodyReader {
  /**
   * Parses and checks a body in a worker thread. The bytes are handed over: they are gone here afterwards.
   * @param owner whose body it is; owners take turns
   * @throws AppError as `parseJsonBody` and the schema would; `overloaded`
   */
  read(job: BodyReadJob & { owner: string; signal: AbortSignal }): Promise<unknown>
  /** Ends the threads. */
  close(): Promise<void>
}

/** Two of the event loop's processor's kind: more only help a flood. */
const THREADS = 2
const WAIT_MAX_MS = 30_000
/** No body of 10 MiB takes longer, by far. */
const READ_MAX_MS = 30_000
const IDLE_MS = 60_000
const HEAP_MAX_MB = 512

const Answer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.custom<unknown>() }),
  z.object({
    ok: z.literal(false),
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
])

/** Reads large bodies away from the event loop. Threads start when they are needed and end when idle. */
export function createBodyReader(): BodyReader {
  const idle = new Map<Worker, NodeJS.Timeout>()
  const admit = createFairLimit({
    what: 'Request bodies',
    concurrency: THREADS,
    concurrencyPerOwner: THREADS,
    waitMaxMs: WAIT_MAX_MS,
  })

  const end = (worker: Worker): Promise<number> => {
    clearTimeout(idle.get(worker))
    idle.delete(worker)
    return worker.terminate()
  }

  const take = (): Worker => {
    const [found] = idle.keys()
    if (!found) return startThread()
    clearTimeout(idle.get(found))
    idle.delete(found)
    return found
  }

  const readOne = async (job: BodyReadJob): Promise<unknown> => {
    const worker = take()
    let answer
    try {
      answer = Answer.parse(await ask(worker, job))
    } catch (error) {
      await end(worker)
      throw error
    }
    idle.set(worker, setTimeout(() => void end(worker), IDLE_MS).unref())
    if (answer.ok) return answer.value
    throw new AppError(answer.code, answer.message, { details: answer.details })
  }

  return {
    read: ({ owner, signal, bytes, reading }) =>
      admit({ owner, cost: bytes.byteLength, signal, run: () => readOne({ bytes, reading }) }),
    async close() {
      await Promise.all([...idle.keys()].map(end))
    },
  }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./body-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
  })
  worker.unref()
  return worker
}

/** One body on one thread. Rejects when the thread dies, or takes longer than any body can. */
function ask(worker: Worker, job: BodyReadJob): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onError = (cause: unknown): void =>
    reject(unavailable('overloaded', 'The request body could not be read', 5, cause))
  const onExit = (): void => onError(new Error('the thread that read the body ended'))
  const timer = setTimeout(() => onError(new Error('the body took too long to be read')), READ_MAX_MS)
  worker.on('message', resolve).on('error', onError).on('exit', onExit)
  worker.ref()
  const bytes = ownBytes(job.bytes)
  worker.postMessage({ ...job, bytes } satisfies BodyReadJob, [bytes.buffer])
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', onError).off('exit', onExit)
    worker.unref()
  })
}

/** Bytes whose memory is nobody else's, so that it can be handed over instead of copied. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(bytes)
}
