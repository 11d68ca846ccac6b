import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'

/** Marks the agent keys but the oldest `limit` (null: no limit) as beyond the plan, and no others. */
export async function markKeysBeyondPlan(
  tx: Tx,
  organizationId: string,
  limit: number | null,
): Promise<void> {
  const isBeyond =
    limit === null ? sql`false` : sql`row_number() over (order by created_at, id) > ${limit}::integer`
  await sql`
    update api_keys k set beyond_plan = r.beyond
    from (
      select id, ${isBeyond} as beyond from api_keys
      where organization_id = ${organizationId} and actor_type = 'agent' and revoked_at is null
    ) r
    where k.organization_id = ${organizationId} and k.id = r.id and k.beyond_plan <> r.beyond`.execute(tx)
}
