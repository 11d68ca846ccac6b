import { Worker } from 'node:worker_threads'
import { ROWS_A_BLOCK } from './block-layout.ts'
import { createScan, mergeScanned, type Scan, type ScanJob, type ScannedRows } from './scan.ts'
import { roomOf, type SharedMemory } from './shared-memory.ts'

/** With fewer blocks, another thread costs more than it saves. */
const BLOCKS_A_THREAD_MIN = 32
const HEAP_MAX_MB = 64

/** Scans few rows on this thread, and more on threads that start on first use. */
export interface ScanThreads {
  /**
   * @param isAlone no other search is running, so twice as many rows are scanned on this thread
   * @returns null if too many rows are equally near
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
 * @param count the number of threads besides this one. Each has a room in the memory after this thread's
 * @param inlineRowsMax scans up to this many rows on the calling thread, because handing them over costs as much
 */
export function createScanThreads(
  shared: SharedMemory,
  { count, inlineRowsMax }: { count: number; inlineRowsMax: number },
): ScanThreads {
  let here: Scan | undefined
  const threads = new Map<number, Thread>()

  const thread = (number: number): Thread => {
    const running = threads.get(number) ?? startThread(shared, number + 1, () => threads.delete(number))
    threads.set(number, running)
    return running
  }

  return {
    async scan(job, isAlone) {
      const blocks = job.units.length / job.segments
      if (blocks * ROWS_A_BLOCK <= inlineRowsMax * (isAlone ? 2 : 1) || count === 0) {
        here ??= createScan(shared.memories, roomOf(0))
        return here({ ...job, from: 0, to: blocks })
      }
      const parts = Math.min(count, Math.max(1, Math.floor(blocks / BLOCKS_A_THREAD_MIN)))
      const startOf = (part: number): number => Math.floor((part * blocks) / parts)
      const found = await Promise.all(
        Array.from({ length: parts }, (_, part) =>
          thread(part).scan({ ...job, from: startOf(part), to: startOf(part + 1) }),
        ),
      )
      const whole = found.filter((rows) => rows !== null)
      return whole.length === found.length ? mergeScanned(whole, job.limit) : null
    },
    async close() {
      await Promise.all([...threads.values()].map((running) => running.end()))
      threads.clear()
    },
  }
}

/** @param onEnd called when the thread ends; the next job starts a new one */
function startThread({ memories }: SharedMemory, number: number, onEnd: () => void): Thread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { memories, room: roomOf(number) },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
  })
  worker.unref()
  /** Jobs finish in order. */
  const waiting: PromiseWithResolvers<ScannedRows | null>[] = []
  let hasEnded = false
  const fail = (error: Error): void => {
    // An error is followed by the exit, when a successor may have the thread's place.
    if (!hasEnded) onEnd()
    hasEnded = true
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  worker.on('message', (found: ScannedRows | null) => {
    waiting.shift()?.resolve(found)
    if (waiting.length === 0) worker.unref()
  })
  worker.on('error', fail).on('exit', () => fail(new Error('a thread that scans vectors ended')))
  return {
    scan(job) {
      const answer = Promise.withResolvers<ScannedRows | null>()
      waiting.push(answer)
      worker.ref()
      worker.postMessage(job, [])
      return answer.promise
    },
    end: () => worker.terminate(),
  }
}
