import { sql } from 'kysely'
import { isLeaseFree } from '../../background/index.ts'
import type { Db } from '../../database/database.ts'
import { SAFE_TO_REPEAT_MS } from './send-reports.ts'
import type { OverageStatus, WaitingReport } from '../schemas.ts'

/** Totals for all organizations. */
export async function readOverageStatus(db: Db, now: Date): Promise<OverageStatus> {
  const uncertainSince = new Date(now.getTime() - SAFE_TO_REPEAT_MS)
  const row = await db
    .selectFrom('overage_reports')
    .select([
      sql<number>`coalesce(sum(answers), 0)::float8`.as('waiting'),
      sql<number>`coalesce(sum(answers) filter (where unknown_since <= ${uncertainSince}), 0)::float8`.as(
        'uncertain',
      ),
      // By the payment processor's clock a period may have begun that has not begun here.
      sql<Date | null>`min(least(window_started_at, coalesce(sealed_at, ${now})))`.as('oldest'),
    ])
    .where('sent_at', 'is', null)
    .executeTakeFirstOrThrow()
  const lagMs = row.oldest === null ? 0 : now.getTime() - row.oldest.getTime()
  return {
    waitingAnswers: row.waiting,
    uncertainAnswers: row.uncertain,
    lagSeconds: Math.max(0, lagMs / 1000),
  }
}

/** At most `limit` reports that have not arrived, oldest first. */
export async function listWaitingReports(db: Db, now: Date, limit: number): Promise<WaitingReport[]> {
  const rows = await db
    .selectFrom('overage_reports')
    .selectAll()
    .where('sent_at', 'is', null)
    .orderBy('window_started_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    organizationId: row.organization_id,
    answers: row.answers,
    servedAt: row.window_started_at.toISOString(),
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    isUncertain:
      row.unknown_since !== null && row.unknown_since.getTime() <= now.getTime() - SAFE_TO_REPEAT_MS,
    lastError: row.last_error,
  }))
}

/** Records whether an uncertain report has arrived or must be resent. @returns whether such a report is waiting */
export async function resolveReport(
  db: Db,
  report: { organizationId: string; id: string; arrived: boolean },
  now: Date,
): Promise<boolean> {
  const resolved = await db
    .updateTable('overage_reports')
    .set(
      report.arrived
        ? { sent_at: now, unknown_since: null, last_error: null }
        : { unknown_since: null, next_attempt_at: now },
    )
    .where('organization_id', '=', report.organizationId)
    .where('id', '=', report.id)
    .where('sent_at', 'is', null)
    .where('sealed_at', 'is not', null)
    .where(isLeaseFree('lease_expires_at'))
    .returning('id')
    .executeTakeFirst()
  return resolved !== undefined
}
