import { type ChargedAnswer, recordRetrievals, retrievalValues } from '../../audit/index.ts'
import type { Db } from '../../database/database.ts'
import { prepare } from '../../database/prepared.ts'
import { countUse, useValues } from '../../daily-usage/index.ts'

/** One report covers the answers of this many seconds. */
export const WINDOW_SECONDS = 5

// Charges the answer, counts it for its day, records it and adds it to an open report, or does none of these.
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
 * Counts an answer served at `at` over a metered plan's credits, in the period of that moment, and adds it to a
 * report.
 * @param answer `reportId` is used if it is the report's first answer
 * @returns false if plan, credits or period do not match.
 */
export async function countOverage(db: Db, answer: ChargedAnswer & { reportId: string }): Promise<boolean> {
  const windowMs = WINDOW_SECONDS * 1000
  const window = new Date(Math.floor(answer.at.getTime() / windowMs) * windowMs)
  const { use, retrieved, reportId, at } = answer
  const values = [
    use.caller.organizationId,
    at,
    reportId,
    window,
    ...useValues(use, at),
    ...retrievalValues(use, [retrieved], at),
  ]
  const { rows } = await countAndNote(db, values)
  return rows.length > 0
}
