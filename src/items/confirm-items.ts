import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import type { ItemChanges } from '../item-changes/index.ts'

interface Confirmed {
  organizationId: string
  items: readonly { id: string; policyId: number }[]
  at: Date
}

/** Records the confirmation time and access policy. Searches show the time, so the items count as changed. */
export async function confirmItems(
  tx: Tx,
  changes: ItemChanges,
  { organizationId, items, at }: Confirmed,
): Promise<void> {
  if (items.length === 0) return
  await sql`
    update source_items i set synced_at = ${at}, policy_id = given."policyId"
    from json_to_recordset(${JSON.stringify(items)}::json) as given(id uuid, "policyId" int)
    where i.organization_id = ${organizationId} and i.id = given.id`.execute(tx)
  changes.add(items.map(({ id }) => id))
}
