import { replaceTime } from './replace-globals.ts'
import { Timers } from './timers.ts'

const realSetImmediate = setImmediate
const realNow = performance.now.bind(performance)
/** Event loop iterations without database or network work after which only timers remain. */
const QUIET_TURNS = 6
/** A slower statement waits for a lock, whose holder may wait for a timer. */
const LOCK_WAIT_MS = 30
/** The time limit of work that waits for no timer, such as loading a module. */
const PATIENCE_MS = 10_000

/** The clock of the whole process, which only the simulation advances. */
export interface SimulatedTime {
  now(): number
  /** Runs everything that does not wait for a timer. */
  settle(): Promise<void>
  /** Advances the clock; each timer fires at its time. */
  advance(ms: number): Promise<void>
  /** Advances the clock in one step, as after a machine's sleep: timers due meanwhile fire late. */
  jump(ms: number): void
  /** Advances the clock until the work is done. @throws if it takes longer than `maxMs` */
  until<Result>(work: Promise<Result>, maxMs: number): Promise<Result>
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Marks work outside the service's event loop, such as the database's. */
  outside<Result>(work: () => Promise<Result>): Promise<Result>
  /** Whether it runs on another thread or server: then the clock waits for it, unless it waits for a lock. */
  waitForElsewhere(waits: boolean): void
  uninstall(): void
}

/** How often work outside the event loop began or ended, and how much of it has not ended. */
interface Activity {
  count: number
  underWay: number
  isElsewhere: boolean
}

/** Replaces the clock and the timers of this process. */
export function installTime(startsAt: number): SimulatedTime {
  const timers = new Timers(startsAt)
  const activity: Activity = { count: 0, underWay: 0, isElsewhere: false }
  const settle = (): Promise<void> => untilQuiet(activity)
  const sleep = sleepOn(timers)
  return {
    now: () => timers.now,
    settle,
    async advance(ms) {
      const end = timers.now + ms
      do await settle()
      while (timers.fire(end))
      timers.now = Math.max(timers.now, end)
      await settle()
    },
    jump: (ms) => void (timers.now += ms),
    until: (work, maxMs) => untilDone(timers, settle, work, timers.now + maxMs),
    sleep: async (ms, signal) => void (await sleep(ms, undefined, signal ? { signal } : {})),
    async outside(work) {
      activity.count += 1
      activity.underWay += 1
      try {
        return await work()
      } finally {
        activity.count += 1
        activity.underWay -= 1
      }
    },
    waitForElsewhere: (waits) => void (activity.isElsewhere = waits),
    uninstall: replaceTime({
      now: () => timers.now,
      elapsed: () => timers.now - startsAt,
      setTimeout: setterOf(timers, false),
      setInterval: setterOf(timers, true),
      clear: timers.clear,
      sleep,
    }),
  }
}

const setterOf =
  (timers: Timers, repeats: boolean) =>
  (act: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
    timers.add(() => act(...given), ms, repeats)

function sleepOn(timers: Timers) {
  return (ms: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortErrorOf(signal))
      const aborted = (): void => {
        timers.clear(timer)
        reject(abortErrorOf(signal))
      }
      const done = (): void => {
        signal?.removeEventListener('abort', aborted)
        resolve(value)
      }
      const timer = timers.add(done, ms, false)
      signal?.addEventListener('abort', aborted, { once: true })
    })
}

async function untilQuiet(activity: Activity): Promise<void> {
  let quiet = 0
  let seen = activity.count
  let busySince = 0
  while (quiet < QUIET_TURNS) {
    await new Promise((resolve) => realSetImmediate(resolve))
    quiet = activity.count === seen ? quiet + 1 : 0
    seen = activity.count
    if (!activity.isElsewhere || activity.underWay === 0) {
      busySince = 0
      continue
    }
    quiet = 0
    busySince ||= realNow()
    if (realNow() - busySince > LOCK_WAIT_MS) return
  }
}

async function untilDone<Result>(
  timers: Timers,
  settle: () => Promise<void>,
  work: Promise<Result>,
  end: number,
): Promise<Result> {
  let isDone = false
  const finished = (): void => void (isDone = true)
  work.then(finished, finished)
  let idleSince = realNow()
  for (;;) {
    await settle()
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- it changes while this waits
    if (isDone) return await work
    if (timers.fire(end)) idleSince = realNow()
    else if (realNow() - idleSince > PATIENCE_MS)
      throw new Error('a request or a process did not end in its simulated time')
  }
}

function abortErrorOf(signal: AbortSignal | undefined): Error {
  return Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  })
}
