import { keepLease } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Execution, Outcome } from './execute-run.ts'
import { LEASE_SECONDS, noteWait, type LeasedRun } from './run-lease.ts'
import { watchProgress } from './run-progress.ts'

/** A worker's slot, released during long waits. */
export interface Slot {
  enter(): void
  leave(): void
}

export interface WorkDependencies {
  db: Db
  clock: Clock
  execute(run: LeasedRun, execution: Execution): Promise<Outcome>
  /** Resolves after `ms` milliseconds, rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** The provider asks for a wait. */
  onWait(waiting: { run: LeasedRun; until: Date }): void
  onRunEnded(ended: { run: LeasedRun; outcome: Outcome; seconds: number }): void
  /** Receives background errors, which are retried. */
  onError(error: unknown): void
  /** Interval of the progress check in milliseconds. */
  progressLookMs?: number | undefined
}

/** Shorter waits keep their slot. */
const LONG_WAIT_MS = 2_000
/** Shorter waits are not shown. */
const SHOWN_WAIT_MS = 10_000

/** Works on a run and renews its lease. Does not throw: after a database error the next worker takes the run. */
export async function workOn(
  deps: WorkDependencies,
  run: LeasedRun,
  stopping: AbortSignal,
  slot: Slot,
): Promise<void> {
  const started = performance.now()
  const lease = keepLease(deps, run.lease, LEASE_SECONDS)
  const progress = watchProgress(deps.clock, deps.progressLookMs)
  const signal = AbortSignal.any([stopping, lease.lost, progress.signal])
  const shown = showWaits(deps, run)
  let longWaits = 0
  const wait = async (ms: number): Promise<void> => {
    const isLong = ms >= LONG_WAIT_MS
    // Requests that wait at once share the run's one slot.
    if (isLong && ++longWaits === 1) slot.leave()
    try {
      await progress.waiting(() => shown(ms, () => deps.sleep(ms, signal)))
    } finally {
      if (isLong && --longWaits === 0) slot.enter()
    }
  }
  slot.enter()
  try {
    const outcome = await deps.execute(run, { signal, wait, progress })
    deps.onRunEnded({ run, outcome, seconds: (performance.now() - started) / 1000 })
  } catch (error) {
    deps.onError(error)
  } finally {
    lease.end()
    progress.end()
    slot.leave()
  }
}

/** Stores until when the run waits; with several waits, until the last one ends. */
function showWaits(deps: WorkDependencies, run: LeasedRun) {
  let waits = 0
  const note = (until: Date | null): Promise<void> => noteWait(deps.db, run, until).catch(deps.onError)
  return async (ms: number, sleep: () => Promise<void>): Promise<void> => {
    if (ms < SHOWN_WAIT_MS) return await sleep()
    const until = new Date(deps.clock.now().getTime() + ms)
    waits += 1
    if (waits === 1) deps.onWait({ run, until })
    await note(until)
    try {
      await sleep()
    } finally {
      waits -= 1
      if (waits === 0) await note(null)
    }
  }
}
