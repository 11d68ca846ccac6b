import { executeRun, type ExecuteDependencies, type Outcome } from './execute-run.ts'
import { LEASE_SECONDS, LeaseLost, renewLease, type TakenRun } from './run-lease.ts'
import { watchProgress } from './run-progress.ts'

/** The place of one who works; whoever waits for long lets go of it meanwhile. */
export interface Place {
  enter(): void
  leave(): void
}

export interface WorkDependencies extends ExecuteDependencies {
  /** Resolves after `ms` milliseconds, rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  onRunEnded(ended: { run: TakenRun; outcome: Outcome; seconds: number }): void
  /** What fails in the background and is tried again. */
  onError(error: unknown): void
  /** How often a run is looked at for whether it makes progress, milliseconds. */
  progressLookMs?: number
}

/** A shorter wait keeps its place. */
const LONG_WAIT_MS = 2_000

/** Works on a run with its lease renewed. Does not throw: what the database refuses is left to who takes the run up next. */
export async function workOn(
  deps: WorkDependencies,
  run: TakenRun,
  stopping: AbortSignal,
  place: Place,
): Promise<void> {
  const started = performance.now()
  const lease = keepLease(deps, run)
  const progress = watchProgress(deps.clock, deps.progressLookMs)
  const signal = AbortSignal.any([stopping, lease.lost, progress.signal])
  const wait = async (ms: number): Promise<void> => {
    const isLong = ms >= LONG_WAIT_MS
    if (isLong) place.leave()
    try {
      await progress.waiting(() => deps.sleep(ms, signal))
    } finally {
      if (isLong) place.enter()
    }
  }
  place.enter()
  try {
    const outcome = await executeRun(deps, run, { signal, wait, progress })
    deps.onRunEnded({ run, outcome, seconds: (performance.now() - started) / 1000 })
  } catch (error) {
    deps.onError(error)
  } finally {
    lease.end()
    progress.end()
    place.leave()
  }
}

/** Renews the lease three times as often as needed; `lost` aborts when it is somebody else's. */
function keepLease(deps: WorkDependencies, run: TakenRun): { lost: AbortSignal; end(): void } {
  const lost = new AbortController()
  const renew = async (): Promise<void> => {
    if (!(await renewLease(deps.db, run))) lost.abort(new LeaseLost())
  }
  const timer = setInterval(() => void renew().catch(deps.onError), (LEASE_SECONDS * 1000) / 3)
  timer.unref()
  return { lost: lost.signal, end: () => clearInterval(timer) }
}
