import { isDatabaseOutage, isForeignKeyViolation, retryConflicts } from '../database/retry-conflicts.ts'
import type { Db } from '../database/database.ts'
import { AppError } from '../kernel/errors.ts'
import {
  type ChangePage,
  type JsonValue,
  type ProviderAdapter,
  ProviderError,
  type ProviderSession,
  type PushState,
} from '../sources/index.ts'
import { applyPage, type ApplyDependencies, type PageCounts } from './apply-page.ts'
import { finishRun, type RunEnd, SourcePaused } from './finish-run.ts'
import { dropPushEvents, readPushState } from './push-events.ts'
import { handBack, LeaseLost, requireLease, type TakenRun } from './run-lease.ts'

/** Opens the provider's account behind a source for the length of one run. */
export type OpenAccount = (
  run: TakenRun,
  options: { signal: AbortSignal; wait(ms: number): Promise<void> },
) => Promise<{ adapter: ProviderAdapter; session: ProviderSession }>

export interface ExecuteDependencies extends ApplyDependencies {
  openAccount: OpenAccount
  onPage(provider: string, counts: PageCounts): void
}

/** How a worker parted with a run. `handed_back`: it is queued again; `lost`: somebody else has it, or nobody. */
export type Outcome = { end: 'succeeded' | 'failed' | 'handed_back' | 'lost'; cause?: unknown }

/** The worker is stopping; its runs are handed back. */
export class WorkerStopping extends Error {
  constructor() {
    super('the worker is stopping')
    this.name = 'WorkerStopping'
  }
}

/** A run that brings down its worker this often without storing a page in between is given up. */
const TAKES_MAX = 10
/** A grant that is gone comes back only when a person connects again; until then the source is rarely asked. */
const POLL_AFTER_AUTH_FAILURE_MS = 24 * 3_600_000

/**
 * Works on a run until it has ended or has to be let go: pages are read from the saved cursor on and stored one by one.
 * Everything that can go wrong ends in the outcome; only failures of the database itself are thrown.
 */
export async function executeRun(
  deps: ExecuteDependencies,
  run: TakenRun,
  options: { signal: AbortSignal; wait(ms: number): Promise<void> },
): Promise<Outcome> {
  const { signal } = options
  let pages = 0
  try {
    if (run.source.status === 'disabled') throw new SourcePaused()
    if (run.takes > TAKES_MAX) {
      throw new Error(`The run was given up: ${TAKES_MAX} workers ended while they worked on it`)
    }
    const account = await deps.openAccount(run, options)
    const onPage = (counts: PageCounts): void => {
      pages += 1
      deps.onPage(run.source.provider, counts)
    }
    await readAll(deps, run, account, signal, onPage)
    return { end: 'succeeded' }
  } catch (error) {
    const cause = signal.aborted ? signal.reason : error
    if (cause instanceof LeaseLost || isForeignKeyViolation(cause)) return { end: 'lost', cause }
    if (cause instanceof WorkerStopping) {
      await handBack(deps.db, run, null)
      return { end: 'handed_back', cause }
    }
    // It cannot be noted anywhere: the lease runs out, and whoever can goes on.
    if (isDatabaseOutage(cause)) throw cause
    const retryAt = pages > 0 ? retryTime(deps, cause) : null
    if (retryAt !== null) {
      await handBack(deps.db, run, retryAt)
      return { end: 'handed_back', cause }
    }
    return (await fail(deps, run, cause)) ? { end: 'failed', cause } : { end: 'lost', cause }
  }
}

type Account = Awaited<ReturnType<OpenAccount>>

/** Reads from the saved cursor; where the provider no longer takes it, everything, once. */
async function readAll(
  deps: ExecuteDependencies,
  run: TakenRun,
  account: Account,
  signal: AbortSignal,
  onPage: (counts: PageCounts) => void,
): Promise<void> {
  const saved: JsonValue | null = run.source.sync_cursor === null ? null : JSON.parse(run.source.sync_cursor)
  const push = await readPushState(deps.db, run)
  try {
    await readFrom(deps, run, account, { cursor: saved, push: push.state }, signal, onPage)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'cursor_expired') throw error
    await becomeFullResync(deps.db, run)
    await readFrom(deps, run, account, { cursor: null, push: push.state }, signal, onPage)
  }
  await dropPushEvents(deps.db, run, push.positions, deps.clock.now())
}

async function readFrom(
  deps: ExecuteDependencies,
  run: TakenRun,
  { adapter, session }: Account,
  from: { cursor: JsonValue | null; push: PushState },
  signal: AbortSignal,
  onPage: (counts: PageCounts) => void,
): Promise<void> {
  const settings = { channelAllowlist: run.source.channel_allowlist }
  const pages = adapter.listChanges(session, { ...from, settings })[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await untilAborted(pages.next(), signal)
      if (next.done) throw new Error(`The ${adapter.provider} connector ended without a last page`)
      const page: ChangePage = next.value
      onPage(await applyPage(deps, run, page, signal))
      if (page.complete) return
    }
  } finally {
    // Not waited for: an adapter that hangs must not hold the worker.
    pages.return?.().catch(() => {})
  }
}

/** The result of a promise, or the signal's reason as soon as it aborts. */
async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function becomeFullResync(db: Db, run: TakenRun): Promise<void> {
  await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      await tx
        .updateTable('sources')
        .set({ sync_cursor: null })
        .where('organization_id', '=', run.organizationId)
        .where('id', '=', run.source.id)
        .execute()
      await requireLease(tx, run)
      await tx
        .updateTable('sync_runs')
        .set({ full_resync: true })
        .where('organization_id', '=', run.organizationId)
        .where('id', '=', run.runId)
        .execute()
    }),
  )
}

/** When to go on with a run that the provider asked to wait for longer than a call may. */
function retryTime({ clock }: ExecuteDependencies, cause: unknown): Date | null {
  if (!(cause instanceof ProviderError) || cause.kind !== 'rate_limited' || cause.retryAfterMs === null)
    return null
  return new Date(clock.now().getTime() + cause.retryAfterMs)
}

/** Whether the run could be ended: not when somebody else has it by now. */
async function fail(deps: ExecuteDependencies, run: TakenRun, cause: unknown): Promise<boolean> {
  const end: RunEnd = {
    succeeded: false,
    message: messageFor(cause),
    pollNotBefore: patience(deps, cause),
  }
  try {
    await retryConflicts(() =>
      deps.db.transaction().execute(async (tx) => {
        await tx
          .selectFrom('sources')
          .select('id')
          .where('organization_id', '=', run.organizationId)
          .where('id', '=', run.source.id)
          .forNoKeyUpdate()
          .execute()
        await requireLease(tx, run)
        await finishRun(tx, run, end, deps)
      }),
    )
    return true
  } catch (error) {
    if (error instanceof LeaseLost) return false
    throw error
  }
}

/** The provider's own words; of faults of our own only that there was one, the log has the rest. */
function messageFor(cause: unknown): string {
  if (cause instanceof ProviderError || cause instanceof AppError || cause instanceof SourcePaused)
    return cause.message
  if (cause instanceof Error && cause.message.startsWith('The run was given up')) return cause.message
  return 'The run failed inside the service; it is tried again with the next poll'
}

function patience({ clock }: ExecuteDependencies, cause: unknown): Date | null {
  if (!(cause instanceof ProviderError)) return null
  const ms = cause.kind === 'auth' ? POLL_AFTER_AUTH_FAILURE_MS : cause.retryAfterMs
  return ms === null ? null : new Date(clock.now().getTime() + ms)
}
