import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Row } from '../database/schema.ts'
import { emitEvent } from '../outgoing-webhooks/index.ts'

/** The shares of a period's credits, in percent, at which the workspace is notified. */
const SHARES = [80, 100] as const

/** Notifies webhooks of 80% or all credits used, once a period and cap, apart from the requests that use them. */
export async function noteLowCredits(db: Db, now: Date): Promise<void> {
  const { rows } = await sql<{ organization_id: string }>`
    select s.organization_id from subscriptions s
    left join credit_notices n on n.organization_id = s.organization_id
      and n.period_started_at = s.period_started_at and n.credit_limit = s.credit_limit
    where s.retrieves and s.credit_limit > 0 and s.period_ends_at > ${now}
      and s.credits_used >= s.credit_limit * 0.8
      and coalesce(n.percent, 0) < case when s.credits_used >= s.credit_limit then 100 else 80 end`.execute(
    db,
  )
  for (const { organization_id: organizationId } of rows)
    await transact(db, (tx) => noteOne(tx, organizationId, now))
}

async function noteOne(tx: Tx, organizationId: string, now: Date): Promise<void> {
  const plan = await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('period_ends_at', '>', now)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!plan?.credit_limit) return
  const limit = plan.credit_limit
  const told = await toldShare(tx, plan, limit)
  const reached = SHARES.filter((share) => share > told && plan.credits_used * 100 >= limit * share)
  for (const percent of reached) {
    const data = {
      percent,
      creditsUsed: plan.credits_used,
      creditsIncluded: limit,
      periodStart: plan.period_started_at.toISOString(),
      periodEnd: plan.period_ends_at.toISOString(),
    }
    await emitEvent(tx, organizationId, { type: 'credits.low', at: now, data })
  }
  const percent = reached.at(-1)
  if (percent === undefined) return
  const notice = { period_started_at: plan.period_started_at, credit_limit: limit, percent }
  await tx
    .insertInto('credit_notices')
    .values({ organization_id: organizationId, ...notice })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(notice))
    .execute()
}

/** The greatest share of this period's cap that the workspace was notified of; 0: none. */
async function toldShare(tx: Tx, plan: Row<'subscriptions'>, limit: number): Promise<number> {
  const notice = await tx
    .selectFrom('credit_notices')
    .select('percent')
    .where('organization_id', '=', plan.organization_id)
    .where('period_started_at', '=', plan.period_started_at)
    .where('credit_limit', '=', limit)
    .executeTakeFirst()
  return notice?.percent ?? 0
}
