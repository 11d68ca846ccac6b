import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import pLimit from 'p-limit'
import { acquireLease, isLeaseFree, type Lease, NO_LEASE, releaseLease } from '../../background/index.ts'
import type { Db } from '../../database/database.ts'
import { transact } from '../../database/retry-conflicts.ts'
import type { Row, Schema } from '../../database/schema.ts'
import { type Clock, DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import { backOffMs } from '../back-off.ts'
import { type PaymentProcessor, ProcessorFailure } from '../payment-processor.ts'
import { WINDOW_SECONDS } from './count-overage.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'

export interface ReportDependencies {
  db: Db
  clock: Clock
  processor: PaymentProcessor
  /** Called for every attempt. */
  onAttempt: (attempt: { outcome: 'sent' | 'failed'; answers: number }) => void
  onError: (error: unknown, fields: Record<string, unknown>) => void
}

const SEALED_AT_ONE_LOOK = 500
const SENT_AT_ONE_LOOK = 200
const SENT_AT_ONCE = 8
const LEASE_SECONDS = 60
/** The processor remembers identifiers for a day. Resending an unknown outcome later might count it twice. */
export const SAFE_TO_REPEAT_MS = 23 * HOUR_MS
const SENT_KEPT_MS = 90 * DAY_MS
const ERROR_CHARACTERS_MAX = 500

/**
 * Seals reports whose collection time is over, and sends those that are due. A report keeps its ID until the payment
 * processor confirms it, across crashes.
 * @param which with `open`, open reports are sealed too, which is safe but takes more calls
 */
export async function sendReports(deps: ReportDependencies, which: 'ended' | 'open'): Promise<void> {
  const { db, clock } = deps
  await seal(db, clock.now(), which === 'ended' ? WINDOW_SECONDS * 1000 : 0)
  const now = clock.now()
  const due = await db
    .selectFrom('overage_reports')
    .select(['organization_id', 'id'])
    .where('sent_at', 'is', null)
    .where('sealed_at', 'is not', null)
    .where('next_attempt_at', '<=', now)
    .where((where) => where.and([isLeaseFree('lease_expires_at'), isSafe(where, now)]))
    .orderBy('window_started_at')
    .orderBy('id')
    .limit(SENT_AT_ONE_LOOK)
    .execute()
  const limit = pLimit(SENT_AT_ONCE)
  await Promise.all(due.map((row) => limit(() => send(deps, row.organization_id, row.id))))
}

/** Deletes reports that arrived three months ago. */
export async function deleteExpiredReports(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('overage_reports')
    .where('sent_at', '<', new Date(now.getTime() - SENT_KEPT_MS))
    .execute()
}

type Where = ExpressionBuilder<Schema, 'overage_reports'>

function isSafe(where: Where, now: Date): Expression<SqlBool> {
  const since = new Date(now.getTime() - SAFE_TO_REPEAT_MS)
  return where.or([where('unknown_since', 'is', null), where('unknown_since', '>', since)])
}

/** A sealed report never changes. */
async function seal(db: Db, now: Date, windowMs: number): Promise<void> {
  const open = await db
    .selectFrom('overage_reports')
    .select(['organization_id', 'id'])
    .where('sealed_at', 'is', null)
    .where((where) =>
      where.or([
        where('window_started_at', '<=', new Date(now.getTime() - windowMs)),
        // Its period has begun only by the payment processor's clock.
        where('window_started_at', '>', now),
      ]),
    )
    .orderBy('window_started_at')
    .limit(SEALED_AT_ONE_LOOK)
    .execute()
  for (const { organization_id: organizationId, id } of open) {
    await db
      .updateTable('overage_reports')
      .set((eb) => ({
        sealed_at: now,
        next_attempt_at: now,
        customer_id: eb
          .selectFrom('payment_accounts')
          .select('customer_id')
          .where('organization_id', '=', organizationId),
      }))
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('sealed_at', 'is', null)
      .execute()
  }
}

async function send(deps: ReportDependencies, organizationId: string, id: string): Promise<void> {
  const { db, clock, processor } = deps
  const fields = { organizationId, reportId: id }
  try {
    const taken = await take(db, organizationId, id, clock.now())
    if (!taken) return
    const { report, lease } = taken
    const { answers } = report
    try {
      if (report.customer_id === null)
        throw new ProcessorFailure('refused', 'the organization has no customer')
      await processor.reportAnswers({
        identifier: id,
        customerId: report.customer_id,
        answers,
        servedAt: report.window_started_at,
      })
    } catch (error) {
      deps.onAttempt({ outcome: 'failed', answers })
      const waitMs = backOffMs(report.attempts, error)
      deps.onError(error, { ...fields, answers, waitMs })
      await noteFailure(db, taken, error, new Date(clock.now().getTime() + waitMs))
      return
    }
    deps.onAttempt({ outcome: 'sent', answers })
    await db
      .updateTable('overage_reports')
      .set({
        sent_at: clock.now(),
        unknown_since: null,
        last_error: null,
        ...NO_LEASE,
      })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('sent_at', 'is', null)
      .where((where) => where.or([where('lease_id', '=', lease.id), where('lease_id', 'is', null)]))
      .execute()
  } catch (error) {
    deps.onError(error, fields)
  }
}

interface Taken {
  /** Before this attempt. */
  report: Row<'overage_reports'>
  lease: Lease<'overage_reports'>
}

/** Begins an attempt; its outcome counts as unknown until it is recorded. */
async function take(db: Db, organizationId: string, id: string, now: Date): Promise<Taken | null> {
  return await transact(db, async (tx) => {
    const report = await tx
      .selectFrom('overage_reports')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('sent_at', 'is', null)
      .where('next_attempt_at', '<=', now)
      .where((where) => where.and([isLeaseFree('lease_expires_at'), isSafe(where, now)]))
      .forUpdate()
      .executeTakeFirst()
    if (!report) return null
    const key = { organization_id: organizationId, id }
    const set = { attempts: report.attempts + 1, unknown_since: report.unknown_since ?? now }
    const lease = await acquireLease(tx, { table: 'overage_reports', key }, { seconds: LEASE_SECONDS, set })
    return lease && { report, lease }
  })
}

/** A refused report did not arrive; the outcome of any other failure is unknown. */
async function noteFailure(db: Db, taken: Taken, error: unknown, nextAttemptAt: Date): Promise<void> {
  const { report, lease } = taken
  const isUnknown = !(error instanceof ProcessorFailure) || error.kind === 'unavailable'
  const message = messageOf(error)
  await releaseLease(db, lease, {
    set: {
      next_attempt_at: nextAttemptAt,
      last_error: message.slice(0, ERROR_CHARACTERS_MAX),
      ...(isUnknown ? {} : { unknown_since: report.unknown_since }),
    },
  })
}
