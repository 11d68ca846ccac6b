import type { Tx } from '../../database/database.ts'
import type { Row } from '../../database/schema.ts'
import { emitEvent } from '../../outgoing-webhooks/index.ts'
import { plannedIn } from './planned-change.ts'

type Plan = Row<'subscriptions'>

/** Emits the webhook event of a changed or planned plan, in the transaction that changes it. */
export async function emitSubscriptionChange(tx: Tx, before: Plan, after: Plan, at: Date): Promise<void> {
  const isSame =
    before.status === after.status &&
    before.tier === after.tier &&
    before.cancel_at_period_end === after.cancel_at_period_end &&
    before.planned_at?.getTime() === after.planned_at?.getTime() &&
    before.planned_tier === after.planned_tier &&
    before.planned_interval === after.planned_interval
  if (isSame) return
  const data = {
    status: after.status,
    previousStatus: before.status,
    tier: after.tier,
    previousTier: before.tier,
    cancelAtPeriodEnd: after.cancel_at_period_end,
    plannedChange: plannedIn(after),
  }
  await emitEvent(tx, after.organization_id, { type: 'subscription.updated', at, data })
}
