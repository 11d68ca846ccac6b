import type { ProviderId } from '../kernel/providers.ts'
import { WorkerStopping } from './execute-run.ts'
import { writeWithBlame } from './item-faults.ts'
import { takeRun } from './run-lease.ts'
import { queuePolls } from './queue-runs.ts'
import { sweepSync } from './sweep-sync.ts'
import { type Places, type WorkDependencies, workOn } from './work-on-run.ts'

export interface SyncWorkerDependencies extends WorkDependencies {
  providers: readonly ProviderId[]
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
const STOP_TIMEOUT_MS = 10_000

/** Takes up queued runs and those of workers that died, several sources at a time. */
export function createSyncWorker(deps: SyncWorkerDependencies): SyncWorker {
  const { db, clock, providers } = deps
  const stopping = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const work = { ...deps, items: writeWithBlame(deps.items) }
  const crew = createCrew(work, stopping.signal, () => {
    if (timers.length > 0) look()
  })
  let looking: Promise<unknown> | null = null
  let lookAgain = false

  /** One look at a time; another asked for meanwhile follows. */
  function look(): void {
    if (stopping.signal.aborted) return
    if (looking) {
      lookAgain = true
      return
    }
    looking = crew
      .takeUp()
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
  const pollAndLook = async (): Promise<void> => {
    if ((await poll()) > 0) look()
  }

  function every(ms: number, act: () => void): void {
    timers.push(setInterval(act, ms).unref())
  }

  return {
    start() {
      if (providers.length === 0) return
      every(LOOK_MS, look)
      every(POLL_LOOK_MS, () => void pollAndLook().catch(deps.onError))
      every(SWEEP_MS, () => void sweepSync(db, clock.now()).catch(deps.onError))
      look()
    },
    wake: () => {
      if (timers.length > 0) look()
    },
    async settle() {
      await poll()
      while (await crew.takeUp()) await crew.finished()
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      stopping.abort(new WorkerStopping())
      await looking
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, STOP_TIMEOUT_MS)
      await Promise.race([crew.finished(), timeout.promise])
      clearTimeout(timer)
    },
  }
}

interface Crew {
  /** Takes up runs as long as there are places and runs; answers whether there was one. */
  takeUp(): Promise<boolean>
  /** Resolves once the runs at work now have been parted with. */
  finished(): Promise<void>
}

/** The runs at work. `onFree` is called whenever a place becomes free. */
function createCrew(deps: SyncWorkerDependencies, stopping: AbortSignal, onFree: () => void): Crew {
  const concurrency = deps.concurrency ?? CONCURRENCY
  const atWork = new Set<Promise<void>>()
  let taken = 0
  const places: Places = {
    enter: () => {
      taken += 1
    },
    leave: () => {
      taken -= 1
      onFree()
    },
  }
  const hasPlace = (): boolean => !stopping.aborted && taken < concurrency && atWork.size < AT_WORK_MAX
  return {
    async takeUp() {
      let found = false
      while (hasPlace()) {
        const run = await takeRun(deps.db, deps.providers, deps.clock.now())
        if (!run) return found
        found = true
        const done = workOn(deps, run, stopping, places).finally(() => atWork.delete(done))
        atWork.add(done)
      }
      return found
    },
    async finished() {
      await Promise.all(atWork)
    },
  }
}
