import { createTask, type DatabaseClock, within } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { applyPage, type ApplyDependencies } from './apply-page.ts'
import { createWorkerPool } from './worker-pool.ts'
import {
  executeRun,
  type ExecuteDependencies,
  type OpenAccount,
  type Outcome,
  WorkerStopping,
} from './execute-run.ts'
import { failUnoffered } from './fail-unoffered.ts'
import { type FinishRun, finishRun } from './finish-run.ts'
import { queuePolls } from './queue-runs.ts'
import { acquireRun, type LeasedRun } from './run-lease.ts'
import { deleteExpiredRuns } from './delete-expired.ts'
import { type Slot, type WorkDependencies, workOn } from './work-on-run.ts'

export interface SyncWorkerDependencies extends Pick<
  WorkDependencies,
  'sleep' | 'onWait' | 'onRunEnded' | 'onError' | 'progressLookMs'
> {
  db: Db
  clock: DatabaseClock
  items: ApplyDependencies['items']
  providers: readonly ProviderId[]
  /** Why the others are not offered. */
  unoffered: ReadonlyMap<ProviderId, string>
  openAccount: OpenAccount
  /** The poll interval of a source in milliseconds. */
  intervalMs: number
  random: () => number
  /** Sources processed at once. */
  concurrency?: number
  onPage: ExecuteDependencies['onPage']
  onItemFault: ApplyDependencies['onItemFault']
  /** Wraps the work on a run, for tracing. */
  follow?: ((run: LeasedRun, work: () => Promise<Outcome>) => Promise<Outcome>) | undefined
}

export interface SyncWorker {
  /** Looks for runs and due sources every second. */
  start(): void
  /** Looks for runs at once. */
  wake(): void
  /** Queues due runs and works until none is left. For tests, without `start`. */
  settle(): Promise<void>
  /** Acquires no new runs and releases the current ones for other workers. */
  stop(): Promise<void>
}

const LOOK_MS = 1_000
const POLL_LOOK_MS = 2_000
const DELETE_MS = 600_000
const STOP_TIMEOUT_MS = 10_000

/** Acquires queued runs and runs with expired leases, several sources at a time. */
export function createSyncWorker(deps: SyncWorkerDependencies): SyncWorker {
  const { db, clock, providers, onError } = deps
  const stopping = new AbortController()
  let started = false
  const wake = (): void => {
    if (started) void looking.ask()
  }

  const pool = createWorkerPool({
    providers,
    concurrency: deps.concurrency,
    take: (offered) => acquireRun(db, offered, clock.now()),
    work: createWork(deps, stopping.signal),
    stopping: stopping.signal,
    onFree: wake,
  })

  async function acquireNext(): Promise<boolean> {
    await clock.adjust()
    return await pool.acquireNext()
  }
  async function poll(): Promise<number> {
    await clock.adjust()
    return await queuePolls(db, providers, { ...deps, now: clock.now() })
  }
  async function failWaiting(): Promise<void> {
    await clock.adjust()
    await failUnoffered(db, deps.unoffered, clock.now())
  }
  const looking = createTask({ act: acquireNext, intervalMs: LOOK_MS, onError })
  const polling = createTask({
    async act() {
      if ((await poll()) > 0) wake()
    },
    intervalMs: POLL_LOOK_MS,
    onError,
  })
  const tidying = createTask({
    async act() {
      await failWaiting()
      await deleteExpiredRuns(db, clock.now())
    },
    intervalMs: DELETE_MS,
    onError,
  })

  return {
    start() {
      started = true
      tidying.start()
      if (providers.length === 0) return
      polling.start()
      looking.start()
    },
    wake,
    async settle() {
      await failWaiting()
      await poll()
      while (await acquireNext()) await pool.finished()
    },
    async stop() {
      stopping.abort(new WorkerStopping())
      await Promise.all([looking.stop(), polling.stop(), tidying.stop()])
      await within(STOP_TIMEOUT_MS, pool.finished())
    },
  }
}

/** Works on a run, from opening the account to its end. */
function createWork(
  deps: SyncWorkerDependencies,
  stopping: AbortSignal,
): (run: LeasedRun, slot: Slot) => Promise<void> {
  const { db, items, clock, follow = (_run, execute) => execute() } = deps
  const schedule = { clock, intervalMs: deps.intervalMs, random: deps.random }
  const finish: FinishRun = (tx, run, end) => finishRun(tx, run, end, schedule)
  const apply = { db, items, clock, finish, onItemFault: deps.onItemFault }
  const execution: ExecuteDependencies = {
    db,
    clock,
    openAccount: deps.openAccount,
    storePage: (run, page, signal) => applyPage(apply, run, page, signal),
    finish,
    onPage: deps.onPage,
  }
  const work: WorkDependencies = {
    ...deps,
    execute: (run, during) => follow(run, () => executeRun(execution, run, during)),
  }
  return (run, slot) => workOn(work, run, stopping, slot)
}
