import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import { hasAccount } from './source.ts'

/** Marks connectors beyond the oldest `limit` (null: no limit) as over the plan; push-only sources are none. */
export async function markSourcesBeyondPlan(
  tx: Tx,
  organizationId: string,
  limit: number | null,
): Promise<void> {
  const isBeyond =
    limit === null ? sql`false` : sql`row_number() over (order by created_at, id) > ${limit}::integer`
  await sql`
    update sources s set beyond_plan = r.beyond
    from (
      select id, ${isBeyond} as beyond from sources
      where organization_id = ${organizationId} and ${hasAccount()}
    ) r
    where s.organization_id = ${organizationId} and s.id = r.id and s.beyond_plan <> r.beyond`.execute(tx)
}
