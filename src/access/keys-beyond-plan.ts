import { sql } from 'kysely'
import { isAgentKey } from '../database/agent-keys.ts'
import type { Tx } from '../database/database.ts'

/** Marks every agent except the oldest `limit` (null: no limit) as beyond the plan, and no other key. */
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
      where organization_id = ${organizationId} and revoked_at is null and ${isAgentKey()}
    ) r
    where k.organization_id = ${organizationId} and k.id = r.id and k.beyond_plan <> r.beyond`.execute(tx)
}
