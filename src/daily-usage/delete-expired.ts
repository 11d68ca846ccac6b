import { DAY_MS } from '../kernel/clock.ts'
import { prepare } from '../database/prepared.ts'
import type { Db } from '../database/database.ts'
import { dayOf } from './count-use.ts'
import { USAGE_KEPT_DAYS } from '../kernel/retention.ts'

const findOld = prepare<{ organization_id: string }>(
  `select distinct organization_id from daily_usage where day <= $1::date`,
)
const deleteDays = prepare(`delete from daily_usage where organization_id = $1 and day <= $2::date`)

/** Deletes expired days, one organization per statement. Safe to run on several instances at once. */
export async function deleteExpiredDays(db: Db, now: Date): Promise<void> {
  const lastExpired = dayOf(new Date(now.getTime() - USAGE_KEPT_DAYS * DAY_MS))
  const { rows } = await findOld(db, [lastExpired])
  for (const { organization_id } of rows) await deleteDays(db, [organization_id, lastExpired])
}
