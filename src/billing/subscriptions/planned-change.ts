import type { Row } from '../../database/schema.ts'
import type { PlannedChange } from '../schemas.ts'

/** A subscription's planned change, in the form all surfaces share. */
export function plannedIn(
  row: Pick<Row<'subscriptions'>, 'planned_at' | 'planned_tier' | 'planned_interval'>,
): PlannedChange | null {
  if (row.planned_at === null) return null
  return { at: row.planned_at.toISOString(), tier: row.planned_tier, interval: row.planned_interval }
}
