import type { ProviderId } from '../kernel/providers.ts'
import { createCrew, type CrewDependencies } from './crew.ts'
import { createDatabaseClock, measureClockLag } from './database-clock.ts'
import { WorkerStopping } from './execute-run.ts'
import { failUnoffered } from './fail-unoffered.ts'
import { writeWithBlame } from './item-faults.ts'
import { queuePolls } from './queue-runs.ts'
import { sweepSync } from './sweep-sync.ts'

export interface SyncWorkerDependencies extends CrewDependencies {
  /** Why the other providers are not offered. */
  unoffered: ReadonlyMap<ProviderId, string>
  /** How far this server's clock is behind the one that all workers go by, milliseconds; the database's unless given. */
  measureLag?: () => Promise<number>
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
const STOP_TIMEOUT_MS = 10_000

/** Takes up queued runs and those of workers that died, several sources at a time. */
export function createSyncWorker(deps: SyncWorkerDependencies): SyncWorker {
  const { db, providers } = deps
  const clock = createDatabaseClock(deps.clock, deps.measureLag ?? (() => measureClockLag(db)))
  const stopping = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const work = { ...deps, clock, items: writeWithBlame(deps.items) }
  const crew = createCrew(work, stopping.signal, () => {
    if (timers.length > 0) looking.ask()
  })
  const looking = oneAtATime(async () => {
    if (!stopping.signal.aborted) await crew.takeUp()
  }, deps.onError)

  async function poll(): Promise<number> {
    await clock.adjust()
    return await queuePolls(db, providers, {
      now: clock.now(),
      intervalMs: deps.intervalMs,
      random: deps.random,
    })
  }
  const pollAndLook = async (): Promise<void> => {
    if ((await poll()) > 0) looking.ask()
  }

  async function tellUnoffered(): Promise<void> {
    await clock.adjust()
    await failUnoffered(db, deps.unoffered, clock.now())
  }
  const tidying = oneAtATime(async () => {
    await tellUnoffered()
    await sweepSync(db, clock.now())
  }, deps.onError)

  function every(ms: number, act: () => void): void {
    timers.push(setInterval(act, ms).unref())
  }

  return {
    start() {
      tidying.ask()
      every(SWEEP_MS, tidying.ask)
      if (providers.length === 0) return
      every(LOOK_MS, looking.ask)
      every(POLL_LOOK_MS, () => void pollAndLook().catch(deps.onError))
      looking.ask()
    },
    wake: () => {
      if (timers.length > 0) looking.ask()
    },
    async settle() {
      await tellUnoffered()
      await poll()
      while (await crew.takeUp()) await crew.finished()
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      stopping.abort(new WorkerStopping())
      await Promise.all([looking.done(), tidying.done()])
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, STOP_TIMEOUT_MS)
      await Promise.race([crew.finished(), timeout.promise])
      clearTimeout(timer)
    },
  }
}

interface Task {
  /** Has it done, once more when it is under way. */
  ask(): void
  /** Resolves when it is not under way. */
  done(): Promise<void>
}

/** Something that is done one at a time, and whose failures go to `onError`. */
function oneAtATime(act: () => Promise<void>, onError: (error: unknown) => void): Task {
  let current: Promise<void> | null = null
  let again = false
  function ask(): void {
    again = true
    current ??= (async () => {
      while (again) {
        again = false
        await act().catch(onError)
      }
      current = null
    })()
  }
  return {
    ask,
    async done() {
      await current
    },
  }
}
