import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../../database/database.ts'
import type { PaymentRemark, Schema } from '../../database/schema.ts'
import { REMARKS } from './remarks.ts'
import type { ComparisonStatus, RemarkedOrganization } from '../schemas.ts'

type Where = ExpressionBuilder<Schema, 'payment_accounts'>

const isRemarked = (where: Where): Expression<SqlBool> => where('remarks', '<>', sql<PaymentRemark[]>`'{}'`)
const isUnreadable = (where: Where): Expression<SqlBool> => where('attempts', '>', 0)

/** Totals for all organizations that are, or were, at the payment processor. */
export async function readComparisonStatus(db: Db, now: Date): Promise<ComparisonStatus> {
  const row = await db
    .selectFrom('payment_accounts')
    .select((eb) => [
      sql<Date | null>`min(coalesce(read_at, created_at))`.as('oldest'),
      sql<number>`(count(*) filter (where ${isUnreadable(eb)}))::int`.as('unreadable'),
      sql<number>`(count(*) filter (where ${isRemarked(eb)}))::int`.as('remarked'),
    ])
    .where('customer_id', 'is not', null)
    .executeTakeFirstOrThrow()
  const ageMs = row.oldest === null ? 0 : now.getTime() - row.oldest.getTime()
  return {
    ageSeconds: Math.max(0, ageMs / 1000),
    unreadableOrganizations: row.unreadable,
    remarkedOrganizations: row.remarked,
  }
}

/** At most `limit` organizations that need the operator's attention, unreadable ones first. */
export async function listRemarked(db: Db, limit: number): Promise<RemarkedOrganization[]> {
  const rows = await db
    .selectFrom('payment_accounts')
    .selectAll()
    .where('customer_id', 'is not', null)
    .where((where) => where.or([isUnreadable(where), isRemarked(where)]))
    .orderBy('attempts', 'desc')
    .orderBy('organization_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    organizationId: row.organization_id,
    customerId: row.customer_id,
    comparedAt: row.read_at?.toISOString() ?? null,
    remarks: row.remarks.map((remark) => ({ remark, text: REMARKS[remark] })),
    failedAttempts: row.attempts,
    nextAttemptAt: row.attempts > 0 ? (row.not_before?.toISOString() ?? null) : null,
    lastError: row.last_error,
  }))
}
