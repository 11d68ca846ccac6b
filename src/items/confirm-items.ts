import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { changeOutOfTurn, type ItemChanges } from '../vector-memory/index.ts'
import { letOthersGoFirst } from './let-others-go-first.ts'

/** Stored items whose content came again as it is. */
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

/** Of one transaction. */
const CONFIRMED_AT_ONCE = 200

/** The same in short transactions, for whoever holds the organization's items. A crash leaves some with their former time. */
export async function confirmInTurns(db: Db, { organizationId, ids, at }: Confirmed): Promise<void> {
  for (let start = 0; start < ids.length; start += CONFIRMED_AT_ONCE) {
    if (start > 0) await letOthersGoFirst()
    const some = { organizationId, ids: ids.slice(start, start + CONFIRMED_AT_ONCE), at }
    await changeOutOfTurn(db, organizationId, (tx, changes) => confirmItems(tx, changes, some))
  }
}
