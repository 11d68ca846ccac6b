import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import type { ItemChanges } from '../vector-memory/index.ts'

/** Stored items that came again with the same content. */
interface Confirmed {
  organizationId: string
  ids: readonly string[]
  at: Date
}

/** Notes when items were confirmed. Searches show the time, so the items count as changed. */
export async function confirmItems(
  tx: Tx,
  changes: ItemChanges,
  { organizationId, ids, at }: Confirmed,
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update source_items i set synced_at = ${at}
    from json_array_elements_text(${JSON.stringify(ids)}::json) as given(id)
    where i.organization_id = ${organizationId} and i.id = given.id::uuid`.execute(tx)
  changes.add(ids)
}
