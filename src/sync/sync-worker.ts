import type { Db } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { executeRun, type ExecuteDependencies, type Outcome, WorkerStopping } from './execute-run.ts'
import { LEASE_SECONDS, LeaseLost, renewLease, takeRun, type TakenRun } from './run-lease.ts'
import { queuePolls } from './queue-runs.ts'
import { sweepSync } from './sweep-sync.ts'

export interface SyncWorkerDependencies extends ExecuteDependencies {
  db: Db
  clock: Clock
  providers: readonly ProviderId[]
  intervalMs: number
  /** Resolves after `ms` milliseconds, rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  onRunEnded(ended: { run: TakenRun; outcome: Outcome; seconds: number }): void
  /** What fails in the background and is tried again. */
  onError(error: unknown): void
  /** Sources worked on at once; those that wait for their provider do not count. */
  concurrency?: number
}

export interface SyncWorker {
  /** Looks for runs once a second from now on, and for sources to poll. */
  start(): void
  /** Looks for runs now, without waiting for the second. */
  wake(): void
  /** Queues what is due and works until nothing can be taken up. For tests, with the worker not started. */
  settle(): Promise<void>
  /** No new runs; those at work are handed back, to be gone on with by anybody. */
  stop(): Promise<void>
}

const LOOK_MS = 1_000
const POLL_LOOK_MS = 2_000
const SWEEP_MS = 600_000
const CONCURRENCY = 4
/** With those that wait for their provider. */
const AT_WORK_MAX = 64
/** A shorter wait keeps its place. */
const LONG_WAIT_MS = 2_000
const STOP_TIMEOUT_MS = 10_000

/** Takes up queued runs and those of workers that died, several sources at a time. */
export function createSyncWorker(deps: SyncWorkerDependencies): SyncWorker {
  const { db, clock, providers } = deps
  const concurrency = deps.concurrency ?? CONCURRENCY
  const stopping = new AbortController()
  const atWork = new Set<Promise<void>>()
  const timers: NodeJS.Timeout[] = []
  let working = 0
  let looking: Promise<void> | null = null
  let lookAgain = false

  async function work(run: TakenRun): Promise<void> {
    const started = performance.now()
    const lost = new AbortController()
    const signal = AbortSignal.any([stopping.signal, lost.signal])
    const heartbeat = setInterval(
      () => {
        renewLease(db, run)
          .then((held) => {
            if (!held) lost.abort(new LeaseLost())
          })
          .catch(deps.onError)
      },
      (LEASE_SECONDS * 1000) / 3,
    )
    heartbeat.unref()
    working += 1
    const wait = async (ms: number): Promise<void> => {
      const isLong = ms >= LONG_WAIT_MS
      if (isLong) leave()
      try {
        await deps.sleep(ms, signal)
      } finally {
        if (isLong) working += 1
      }
    }
    try {
      const outcome = await executeRun(deps, run, { signal, wait })
      deps.onRunEnded({ run, outcome, seconds: (performance.now() - started) / 1000 })
    } catch (error) {
      // The database failed: the lease runs out, and the run is taken up again.
      deps.onError(error)
    } finally {
      clearInterval(heartbeat)
      leave()
    }
  }

  function leave(): void {
    working -= 1
    if (timers.length > 0) look()
  }

  async function takeUp(): Promise<void> {
    while (!stopping.signal.aborted && working < concurrency && atWork.size < AT_WORK_MAX) {
      const run = await takeRun(db, providers, clock.now())
      if (!run) return
      const done = work(run).finally(() => atWork.delete(done))
      atWork.add(done)
    }
  }

  /** One look at a time; another asked for meanwhile follows. */
  function look(): void {
    if (stopping.signal.aborted) return
    if (looking) {
      lookAgain = true
      return
    }
    looking = takeUp()
      .catch(deps.onError)
      .finally(() => {
        looking = null
        if (!lookAgain) return
        lookAgain = false
        look()
      })
  }

  const poll = (): Promise<number> =>
    queuePolls(db, providers, { now: clock.now(), intervalMs: deps.intervalMs, random: deps.random })

  function every(ms: number, act: () => void): void {
    timers.push(setInterval(act, ms).unref())
  }

  return {
    start() {
      if (providers.length === 0) return
      every(LOOK_MS, look)
      every(POLL_LOOK_MS, () => void poll().then((queued) => queued > 0 && look(), deps.onError))
      every(SWEEP_MS, () => void sweepSync(db, clock.now()).catch(deps.onError))
      look()
    },
    wake: () => {
      if (timers.length > 0) look()
    },
    async settle() {
      await poll()
      do {
        await takeUp()
        await Promise.all(atWork)
      } while (await takeUpOne())
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      stopping.abort(new WorkerStopping())
      await looking
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, STOP_TIMEOUT_MS)
      await Promise.race([Promise.all(atWork), timeout.promise])
      clearTimeout(timer)
    },
  }

  async function takeUpOne(): Promise<boolean> {
    const run = stopping.signal.aborted ? undefined : await takeRun(db, providers, clock.now())
    if (run) await work(run)
    return run !== undefined
  }
}
