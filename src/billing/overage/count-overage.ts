import { type ChargedAnswer, recordRetrievals, retrievalEvents } from '../../audit/index.ts'
import type { Db } from '../../database/database.ts'
import { prepare } from '../../database/prepared.ts'
import { countUse, useValues } from '../../daily-usage/index.ts'

/** Answers of so many seconds are reported together. */
export const WINDOW_SECONDS = 5

// One statement, so that an answer is charged, counted on its day, recorded and noted for the payment processor, or nothing of it.
// A row that is being sealed meanwhile is no longer the open one, and a new one is begun. Whom the processor does not know it
// cannot charge.
const countAndNote = prepare(`
  with counted as (
    update subscriptions set credits_used = credits_used + 1, overage_answers = overage_answers + 1
    where organization_id = $1 and period_ends_at > $2 and not blocks_over_cap and credits_used >= credit_limit
    returning organization_id, period_started_at
  ), noted as (
    insert into overage_reports as r (organization_id, id, period_started_at, window_started_at, answers)
    select organization_id, $3, period_started_at, greatest($4::timestamptz, period_started_at), 1 from counted
    where exists (select from payment_accounts a where a.organization_id = $1 and a.customer_id is not null)
    on conflict (organization_id, period_started_at, window_started_at) where sealed_at is null
    do update set answers = r.answers + 1
  ), used as (${countUse('counted', 5)}
  ), recorded as (${recordRetrievals('counted', 11)}
  )
  select organization_id from counted`)

/**
 * Counts an answer served at `at` over the credits of a metered plan, in the period of that moment, and notes it for the
 * payment processor.
 * @param answer `reportId`: for the report of its few seconds, where it is the first of them
 * @returns whether it was one: false where the plan, the credits or the period say otherwise.
 */
export async function countOverage(db: Db, answer: ChargedAnswer & { reportId: string }): Promise<boolean> {
  const windowMs = WINDOW_SECONDS * 1000
  const window = new Date(Math.floor(answer.at.getTime() / windowMs) * windowMs)
  const { use, reportId, at } = answer
  const values = [
    use.caller.organizationId,
    at,
    reportId,
    window,
    ...useValues(use, at),
    retrievalEvents([answer]),
  ]
  const { rows } = await countAndNote(db, values)
  return rows.length > 0
}
