import type { BillingInterval, Row, Tier } from '../../database/schema.ts'

/** A plan's next automatic change and its time; the tier is null when it ends. null: no change. */
export interface PlannedView {
  at: string
  tier: Tier | null
  interval: BillingInterval | null
}

/** A subscription's planned change, in the form all surfaces share. */
export function plannedIn(
  row: Pick<Row<'subscriptions'>, 'planned_at' | 'planned_tier' | 'planned_interval'>,
): PlannedView | null {
  if (row.planned_at === null) return null
  return { at: row.planned_at.toISOString(), tier: row.planned_tier, interval: row.planned_interval }
}
