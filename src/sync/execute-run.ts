import { LeaseLost } from '../background/index.ts'
import { isDatabaseOutage, isForeignKeyViolation, transact } from '../database/retry-conflicts.ts'
import type { Db } from '../database/database.ts'
import { beforeAbort } from '../kernel/before-abort.ts'
import { type Clock, DAY_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import {
  type ChangePage,
  type JsonValue,
  type ProviderAdapter,
  ProviderError,
  type ProviderSession,
  type PushState,
} from '../providers/index.ts'
import { lockSource, saveCursor, type Source } from '../sources/index.ts'
import type { PageCounts } from './page-counts.ts'
import { failureCodeOf } from './failure-code.ts'
import { type FinishRun, type RunEnd, SourcePaused } from './finish-run.ts'
import { dropPushEvents, readPushState } from './push-events.ts'
import { type LongWait, requeue, requireLease, type LeasedRun } from './run-lease.ts'
import { type ProgressWatch, RunStopped } from './run-progress.ts'

export type OpenAccount = (
  run: LeasedRun,
  options: { signal: AbortSignal; wait(ms: number): Promise<void> },
) => Promise<{ adapter: ProviderAdapter; session: ProviderSession }>

export interface ExecuteDependencies {
  db: Db
  clock: Clock
  openAccount: OpenAccount
  /** Stores a page in a transaction that holds the run's lease; the last page ends the run. */
  storePage(run: LeasedRun, page: ChangePage, signal: AbortSignal): Promise<PageCounts>
  finish: FinishRun
  onPage(provider: string, counts: PageCounts): void
}

export interface Execution {
  signal: AbortSignal
  /** Waits as long as the provider asks. */
  wait(ms: number): Promise<void>
  progress: ProgressWatch
}

/**
 * How a worker finished with a run. `released`: queued again; `lost`: another worker has it, or it was deleted.
 */
export type Outcome = { end: 'succeeded' | 'failed' | 'released' | 'lost'; cause?: unknown }

export class WorkerStopping extends Error {
  constructor() {
    super('the worker is stopping')
    this.name = 'WorkerStopping'
  }
}

/** A run fails if it kills its worker this often without storing a page in between. */
const TAKES_MAX = 10
/** Only a user can restore a revoked grant by reconnecting; until then the source is polled rarely. */
const POLL_AFTER_AUTH_FAILURE_MS = DAY_MS
/** A run fails when its provider has made it wait this long without storing a page. */
const WAIT_MAX_MS = DAY_MS

/** Works on a run, page by page, until it ends or is released. @throws only database outages */
export async function executeRun(
  deps: ExecuteDependencies,
  run: LeasedRun,
  execution: Execution,
): Promise<Outcome> {
  const { signal, progress } = execution
  let pages = 0
  try {
    if (run.source.status === 'disabled') throw new SourcePaused()
    if (run.takes > TAKES_MAX) throw new RunStopped(`${TAKES_MAX} workers ended while they worked on it`)
    const account = await deps.openAccount(run, execution)
    const onPage = (counts: PageCounts): void => {
      pages += 1
      deps.onPage(run.source.provider, counts)
    }
    await readAll(deps, run, account, { signal, progress, onPage })
    return { end: 'succeeded' }
  } catch (error) {
    const cause = signal.aborted ? signal.reason : error
    if (cause instanceof LeaseLost || isForeignKeyViolation(cause)) return { end: 'lost', cause }
    if (cause instanceof WorkerStopping) {
      await requeue(deps.db, run, null)
      return { end: 'released', cause }
    }
    // Nothing can be recorded: the lease expires, and another worker continues.
    if (isDatabaseOutage(cause)) throw cause
    const wait = longWait(deps, cause, pages > 0 ? null : run.waitingSince)
    if (wait !== null) {
      await requeue(deps.db, run, wait)
      return { end: 'released', cause }
    }
    return { end: await fail(deps, run, cause), cause }
  }
}

type Account = Awaited<ReturnType<OpenAccount>>

interface Reading {
  signal: AbortSignal
  progress: ProgressWatch
  onPage: (counts: PageCounts) => void
}

/** Reads from the saved cursor; if the provider rejects it, reads everything, once. */
async function readAll(
  deps: ExecuteDependencies,
  run: LeasedRun,
  account: Account,
  reading: Reading,
): Promise<void> {
  const push = await readPushState(deps.db, run)
  try {
    await readFrom(deps, run, account, { cursor: run.source.cursor, push: push.state }, reading)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'cursor_expired') throw error
    await becomeFullResync(deps.db, run)
    const anew = { ...run, fullResync: true }
    await readFrom(deps, anew, account, { cursor: null, push: push.state }, reading)
  }
  await dropPushEvents(deps.db, run, push.positions, deps.clock.now())
}

async function readFrom(
  deps: ExecuteDependencies,
  run: LeasedRun,
  { adapter, session }: Account,
  from: { cursor: JsonValue | null; push: PushState },
  { signal, progress, onPage }: Reading,
): Promise<void> {
  const { settings } = run.source
  const pages = adapter.listChanges(session, { ...from, settings })[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await progress.reading(() => beforeAbort(pages.next(), signal))
      if (next.done) throw new Error(`The ${adapter.provider} connector ended without a last page`)
      const page: ChangePage = next.value
      const counts = await deps.storePage(run, page, signal)
      onPage(counts)
      progress.stored(page.cursor, counts)
      if (page.complete) return
    }
  } finally {
    // Not awaited: a hanging adapter must not block the worker.
    pages.return?.().catch(() => {})
  }
}

async function becomeFullResync(db: Db, run: LeasedRun): Promise<void> {
  await transact(db, async (tx) => {
    await saveCursor(tx, run.source, null)
    await requireLease(tx, run)
    await tx
      .updateTable('sync_runs')
      .set({ full_resync: true })
      .where('organization_id', '=', run.organizationId)
      .where('id', '=', run.runId)
      .execute()
  })
}

/** The wait of a run whose provider asked for a long one; null: it fails. `since`: of earlier waits, if any. */
function longWait({ clock }: ExecuteDependencies, cause: unknown, since: Date | null): LongWait | null {
  if (!(cause instanceof ProviderError) || cause.kind !== 'rate_limited' || cause.retryAfterMs === null)
    return null
  const now = clock.now()
  const until = now.getTime() + cause.retryAfterMs
  const wait = { since: since ?? now, until: new Date(until) }
  return until - wait.since.getTime() > WAIT_MAX_MS ? null : wait
}

/** Fails the run, unless another worker has it. Queues it again if the account was reconnected meanwhile. */
async function fail(
  deps: ExecuteDependencies,
  run: LeasedRun,
  cause: unknown,
): Promise<'failed' | 'released' | 'lost'> {
  const end: RunEnd = {
    succeeded: false,
    message: messageFor(cause),
    code: failureCodeOf(cause),
    pollNotBefore: nextPollAt(deps, cause),
    needsReconnection: cause instanceof ProviderError && cause.kind === 'auth',
  }
  try {
    return await transact(deps.db, async (tx) => {
      const source = await lockSource(tx, run.source)
      await requireLease(tx, run)
      const isAuth = cause instanceof ProviderError && cause.kind === 'auth'
      if (isAuth && source !== undefined && mayHaveNewGrant(run, source)) {
        await requeue(tx, run, null)
        return 'released'
      }
      await deps.finish(tx, run, end)
      return 'failed'
    })
  } catch (error) {
    if (error instanceof LeaseLost) return 'lost'
    throw error
  }
}

/** Reconnecting makes the source healthy. Other changes by users cost one extra attempt. */
function mayHaveNewGrant(run: LeasedRun, source: Pick<Source, 'status' | 'updatedAt'>): boolean {
  const isHealthy = source.status === 'pending' || source.status === 'active'
  return isHealthy && source.updatedAt.getTime() !== run.source.updatedAt.getTime()
}

/** The provider's message; for internal errors only a general one, since the log has the rest. */
function messageFor(cause: unknown): string {
  const isOwn = [ProviderError, AppError, SourcePaused, RunStopped].some((kind) => cause instanceof kind)
  return isOwn && cause instanceof Error
    ? cause.message
    : 'The run failed inside the service; the next poll tries again'
}

function nextPollAt({ clock }: ExecuteDependencies, cause: unknown): Date | null {
  if (!(cause instanceof ProviderError)) return null
  const ms = cause.kind === 'auth' ? POLL_AFTER_AUTH_FAILURE_MS : cause.retryAfterMs
  return ms === null ? null : new Date(clock.now().getTime() + ms)
}
