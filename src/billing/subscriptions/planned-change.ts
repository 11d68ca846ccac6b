import type { BillingInterval, Row, Tier } from '../../database/schema.ts'

/** What a plan becomes by itself, and when; its tier is null where it ends. null: it stays. */
export interface PlannedView {
  at: string
  tier: Tier | null
  interval: BillingInterval | null
}

/** What is planned for a subscription, as every surface shows it. */
export function plannedIn(
  row: Pick<Row<'subscriptions'>, 'planned_at' | 'planned_tier' | 'planned_interval'>,
): PlannedView | null {
  if (row.planned_at === null) return null
  return { at: row.planned_at.toISOString(), tier: row.planned_tier, interval: row.planned_interval }
}
