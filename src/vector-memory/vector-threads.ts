import { Worker } from 'node:worker_threads'
import { ROWS_A_BLOCK } from './block-layout.ts'
import { createScanner, mergeProposals, type ScannedRows, type ScanJob } from './scan.ts'
import { roomOf, type SharedMemory } from './shared-memory.ts'
import type { VectorJob, VectorWorkerData } from './vector-worker.ts'

/** Fewer blocks do not justify another thread. */
const BLOCKS_A_THREAD_MIN = 32
const HEAP_MAX_MB = 64

/** Scans: few rows on this thread, more on threads that start when first needed. */
export interface VectorThreads {
  /**
   * @param isAlone no other search is running, so twice as many rows are scanned on this thread
   * @returns null if too many rows are equally near.
   * @throws when a thread ended
   */
  scan(job: Omit<ScanJob, 'from' | 'to'>, isAlone: boolean): Promise<ScannedRows | null>
  close(): Promise<void>
}

interface Thread {
  scan(job: ScanJob): Promise<ScannedRows | null>
  end(): Promise<unknown>
}

/**
 * @param count threads besides this one; each has a room in the memory after this thread's
 * @param rowsHereMax up to this many rows are scanned on the calling thread, because handing them over costs
 * as much
 */
export function createVectorThreads(
  shared: SharedMemory,
  { count, rowsHereMax }: { count: number; rowsHereMax: number },
): VectorThreads {
  const { memory } = shared
  let here: ReturnType<typeof createScanner> | undefined
  const threads = new Map<number, Thread>()

  const thread = (number: number): Thread => {
    const running = threads.get(number)
    if (running) return running
    const started = startThread(
      { memory, room: roomOf(number + 1) },
      // The next job starts a new thread.
      () => threads.delete(number),
    )
    threads.set(number, started)
    return started
  }

  return {
    async scan(job, isAlone) {
      const blocks = job.blocks.length
      if (blocks * ROWS_A_BLOCK <= rowsHereMax * (isAlone ? 2 : 1) || count === 0) {
        here ??= createScanner(memory, roomOf(0))
        return here.scan({ ...job, from: 0, to: blocks })
      }
      const parts = Math.min(count, Math.max(1, Math.floor(blocks / BLOCKS_A_THREAD_MIN)))
      const bounds = Array.from({ length: parts + 1 }, (_, part) => Math.floor((part * blocks) / parts))
      const found = await Promise.all(
        Array.from({ length: parts }, (_, part) => {
          return thread(part).scan({ ...job, from: bounds[part] ?? 0, to: bounds[part + 1] ?? blocks })
        }),
      )
      const proposals = found.flatMap((proposal) => (proposal === null ? [] : [proposal]))
      return proposals.length === found.length ? mergeProposals(proposals, job.limit) : null
    },
    async close() {
      await Promise.all([...threads.values()].map((running) => running.end()))
      threads.clear()
    },
  }
}

function startThread(workerData: VectorWorkerData, onEnd: () => void): Thread {
  const worker = new Worker(new URL('./vector-worker.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
  })
  worker.unref()
  const waiting = new Map<number, PromiseWithResolvers<ScannedRows | null>>()
  let jobs = 0
  const fail = (error: Error): void => {
    onEnd()
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  worker.on('message', ({ id, proposal }: { id: number; proposal: ScannedRows | null }) => {
    waiting.get(id)?.resolve(proposal)
    waiting.delete(id)
    if (waiting.size === 0) worker.unref()
  })
  worker.on('error', fail).on('exit', () => fail(new Error('a thread that scans vectors ended')))
  return {
    scan(scan) {
      const id = jobs++
      const answer = Promise.withResolvers<ScannedRows | null>()
      waiting.set(id, answer)
      worker.ref()
      worker.postMessage({ id, scan } satisfies VectorJob, [])
      return answer.promise
    },
    end: () => worker.terminate(),
  }
}
