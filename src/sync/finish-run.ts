import { NO_LEASE } from '../background/index.ts'
import type { Tx } from '../database/database.ts'
import { type Clock, MINUTE_MS } from '../kernel/clock.ts'
import type { FailureCode } from '../kernel/failure-codes.ts'
import { storableText } from '../kernel/text.ts'
import { type Provider, findProvider } from '../providers/index.ts'
import { schedulePermissionPoll } from '../permission-polls/index.ts'
import { savePolicyHealth, saveSkippedCount, settleSource } from '../sources/index.ts'
import { countSkipped } from './list-skipped.ts'
import type { LeasedRun } from './run-lease.ts'
import { countPolicies } from './synced-items.ts'
import { ENDED_RUN_COLUMNS, reportEnd } from './report-end.ts'

/** A user paused the source during the run. */
export class SourcePaused extends Error {
  constructor() {
    super('The source was paused')
    this.name = 'SourcePaused'
  }
}

/** How a run ended. `snapshot`: the full crawl it finished; `pollNotBefore`: the provider asked to wait. */
export type RunEnd =
  | { succeeded: true; snapshot: string | null }
  | {
      succeeded: false
      message: string
      code: FailureCode | null
      pollNotBefore: Date | null
      needsReconnection: boolean
    }

const MESSAGE_CHARACTERS = 2_000

export type FinishRun = (tx: Tx, run: LeasedRun, end: RunEnd) => Promise<void>

/** Ends a run whose lease the transaction holds, and updates its source; a paused source stays paused. */
export async function finishRun(
  tx: Tx,
  run: LeasedRun,
  end: RunEnd,
  schedule: { clock: Clock; intervalMs: number; random: () => number },
): Promise<void> {
  const now = schedule.clock.now()
  const { organizationId, source } = run
  const message = end.succeeded ? null : storableText(end.message.slice(0, MESSAGE_CHARACTERS))
  const code = end.succeeded ? null : end.code
  const status = end.succeeded ? 'succeeded' : 'failed'
  const ended = await tx
    .updateTable('sync_runs')
    .set({
      status,
      finished_at: now,
      error_message: message,
      error_code: code,
      needs_reconnection: !end.succeeded && end.needsReconnection,
      ...NO_LEASE,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', run.runId)
    .returning(ENDED_RUN_COLUMNS)
    .executeTakeFirstOrThrow()
  await reportEnd(tx, ended, { provider: source.provider, status, at: now })
  const { policyHealth, reportsReaders, pollMinutes = 0 } = findProvider(source.provider)
  if (policyHealth && mayChangePolicyHealth(run, end, ended))
    await updatePolicyHealth(tx, run, end, policyHealth)
  // The run's items may name groups whose members are unknown yet.
  if (end.succeeded && reportsReaders) await schedulePermissionPoll(tx, source, now)
  if (ended.items_failed + ended.items_skipped > 0 || source.itemsSkipped !== 0)
    await saveSkippedCount(tx, source, await countSkipped(tx, source))
  const poll = nextPoll(now, schedule)
  const wait = end.succeeded ? new Date(now.getTime() + pollMinutes * MINUTE_MS) : end.pollNotBefore
  await settleSource(tx, source, {
    errorMessage: message,
    errorCode: code,
    snapshot: end.succeeded ? end.snapshot : null,
    nextPollAt: wait !== null && wait > poll ? wait : poll,
    settings: source.settings,
    at: now,
  })
}

/** One interval from now, with 5% jitter so that sources drift apart. */
export function nextPoll(
  now: Date,
  { intervalMs, random }: { intervalMs: number; random: () => number },
): Date {
  return new Date(now.getTime() + intervalMs * (0.95 + 0.1 * random()))
}

/** Counting many files is slow, so it follows only runs, even failed ones, that changed something. */
function mayChangePolicyHealth(
  { source }: LeasedRun,
  end: RunEnd,
  counts: { items_ingested: number; items_deleted: number },
): boolean {
  if (counts.items_ingested + counts.items_deleted > 0) return true
  return end.succeeded && (end.snapshot !== null || !source.hasPolicyHealth)
}

async function updatePolicyHealth(
  tx: Tx,
  { source }: LeasedRun,
  end: RunEnd,
  policyHealth: NonNullable<Provider['policyHealth']>,
): Promise<void> {
  const snapshot = end.succeeded ? end.snapshot : null
  const counts = await countPolicies(tx, source, snapshot ?? source.lastSnapshot)
  await savePolicyHealth(tx, source, policyHealth(counts))
}
