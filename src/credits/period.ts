import type { SubscriptionRow, SubscriptionState } from '../billing/index.ts'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { AppError } from '../kernel/errors.ts'

const beginPeriod = prepare(`
  update subscriptions set credits_used = 0, overage_answers = 0, period_started_at = $3, period_ends_at = $4
  where organization_id = $1 and period_ends_at <= $2`)

/** Begins the period that contains `now`; of concurrent attempts, one succeeds. */
export async function startPeriod(
  db: Db,
  organizationId: string,
  { start, end }: SubscriptionState,
  now: Date,
): Promise<void> {
  await beginPeriod(db, [organizationId, now, start, end])
}

export function subscriptionRequired(row: Pick<SubscriptionRow, 'status'> | undefined): AppError {
  const reason = row ? `the subscription is ${row.status}` : 'this workspace has no subscription'
  return new AppError(
    'subscription_required',
    `Retrieval needs an active plan, but ${reason}; fix it under Billing in the console`,
    { details: { status: row?.status ?? null } },
  )
}

/** @throws AppError `subscription_required` */
export async function requireSubscription(db: Db, organizationId: string): Promise<void> {
  const row = await db
    .selectFrom('subscriptions')
    .select(['status', 'retrieves'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row?.retrieves) throw subscriptionRequired(row)
}
