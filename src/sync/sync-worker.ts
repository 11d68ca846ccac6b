import type { ProviderId } from '../kernel/providers.ts'
import { createDatabaseClock, type DatabaseClock, readDatabaseTime } from './database-clock.ts'
import { WorkerStopping } from './execute-run.ts'
import { failUnoffered } from './fail-unoffered.ts'
import { writeWithBlame } from './item-faults.ts'
import { createPlaces } from './places.ts'
import { takeRun, type TakenRun } from './run-lease.ts'
import { queuePolls } from './queue-runs.ts'
import { sweepSync } from './sweep-sync.ts'
import { type WorkDependencies, workOn } from './work-on-run.ts'

export interface SyncWorkerDependencies extends WorkDependencies {
  providers: readonly ProviderId[]
  /** Why the other providers are not offered. */
  unoffered: ReadonlyMap<ProviderId, string>
  /** Sources worked on at once; those that wait for their provider do not count. */
  concurrency?: number
  /** The time that all workers go by; the database's own unless given. */
  databaseTime?: () => Promise<Date>
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
const CONCURRENCY = 8
/** With those that wait for their provider. */
const AT_WORK_MAX = 64
const STOP_TIMEOUT_MS = 10_000

/** Takes up queued runs and those of workers that died, several sources at a time. */
export function createSyncWorker(deps: SyncWorkerDependencies): SyncWorker {
  const { db, providers } = deps
  const clock = createDatabaseClock(deps.clock, deps.databaseTime ?? (() => readDatabaseTime(db)))
  const stopping = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const work = { ...deps, clock, items: writeWithBlame(deps.items) }
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

  async function poll(): Promise<number> {
    await clock.adjust()
    return await queuePolls(db, providers, {
      now: clock.now(),
      intervalMs: deps.intervalMs,
      random: deps.random,
    })
  }
  const pollAndLook = async (): Promise<void> => {
    if ((await poll()) > 0) look()
  }

  async function tellUnoffered(): Promise<void> {
    await clock.adjust()
    await failUnoffered(db, deps.unoffered, clock.now())
  }
  let tidying: Promise<void> = Promise.resolve()
  const tidy = (): void => {
    tidying = tellUnoffered()
      .then(() => sweepSync(db, clock.now()))
      .catch(deps.onError)
  }

  function every(ms: number, act: () => void): void {
    timers.push(setInterval(act, ms).unref())
  }

  return {
    start() {
      tidy()
      every(SWEEP_MS, tidy)
      if (providers.length === 0) return
      every(LOOK_MS, look)
      every(POLL_LOOK_MS, () => void pollAndLook().catch(deps.onError))
      look()
    },
    wake: () => {
      if (timers.length > 0) look()
    },
    async settle() {
      await tellUnoffered()
      await poll()
      while (await crew.takeUp()) await crew.finished()
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      stopping.abort(new WorkerStopping())
      await Promise.all([looking, tidying])
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
function createCrew(
  deps: SyncWorkerDependencies & { clock: DatabaseClock },
  stopping: AbortSignal,
  onFree: () => void,
): Crew {
  const atWork = new Set<Promise<void>>()
  const places = createPlaces(deps.concurrency ?? CONCURRENCY)
  const withWaiting = createPlaces(AT_WORK_MAX)
  const withRoom = (): ProviderId[] =>
    stopping.aborted
      ? []
      : deps.providers.filter((provider) => places.hasRoom(provider) && withWaiting.hasRoom(provider))

  function workBeside(run: TakenRun): void {
    const { provider } = run.source
    const place = {
      enter: () => places.enter(provider),
      leave: () => {
        places.leave(provider)
        onFree()
      },
    }
    withWaiting.enter(provider)
    const done = workOn(deps, run, stopping, place).finally(() => {
      withWaiting.leave(provider)
      atWork.delete(done)
    })
    atWork.add(done)
  }

  return {
    async takeUp() {
      await deps.clock.adjust()
      let found = false
      for (;;) {
        const run = await takeRun(deps.db, withRoom(), deps.clock.now())
        if (!run) return found
        found = true
        workBeside(run)
      }
    },
    async finished() {
      await Promise.all(atWork)
    },
  }
}
