import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { type ErrorCode, ERRORS } from '../kernel/error-codes.ts'
import { AppError } from '../kernel/errors.ts'
import { createFairLimit } from '../kernel/fair-limit.ts'
import { unavailable } from '../kernel/unavailable.ts'
import type { BodyLimits } from './json-body.ts'

export interface BodyReading {
  limits?: BodyLimits
  /** The fields of the top-level object; parsing stops at any other. */
  fields?: readonly string[]
  /** The module and name of the route's schema. The body crosses threads, so few long strings are best. */
  schema: { module: string; name: string }
}

export interface BodyReadJob {
  bytes: Uint8Array
  reading: BodyReading
}

export interface BodyReader {
  /** Parses and validates a body in a worker thread; `owner`s take turns. The bytes are lost. @throws AppError */
  read(job: BodyReadJob & { owner: string; signal: AbortSignal }): Promise<unknown>
  close(): Promise<void>
}

/** Beside the event loop; more would only help a flood. */
const THREADS = 2
const WAIT_MAX_MS = 30_000
/** A 10 MiB body takes far less. */
const READ_MAX_MS = 30_000
const IDLE_MS = 60_000
const HEAP_MAX_MB = 512

const Answer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.custom<unknown>() }),
  z.object({
    ok: z.literal(false),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
])

/** Parses large bodies off the event loop. Threads start on demand and end when idle. */
export function createBodyReader(): BodyReader {
  const idle = new Map<Worker, NodeJS.Timeout>()
  const admit = createFairLimit({
    what: 'request bodies',
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

/** Sends one body to one thread. Rejects when the thread dies or takes too long. */
function ask(worker: Worker, job: BodyReadJob): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onError = (cause: unknown): void =>
    reject(unavailable('overloaded', 'The request body could not be read', 5, cause))
  const onExit = (): void => onError(new Error('the thread that parsed the body ended'))
  const timer = setTimeout(() => onError(new Error('the body took too long to parse')), READ_MAX_MS)
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

/** Bytes that own their whole buffer, so that it can be transferred instead of copied. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(bytes)
}
