import { sql } from 'kysely'
import { z } from 'zod'
import type { Tx } from '../database/database.ts'
import { CountChanges, lockCanvas, removeMentions } from './counts.ts'
import { idsOf } from './ids.ts'

const ItemRows = z.array(z.object({ id: z.string() }))

/** Removes items from the canvas in the transaction that deletes them. Locks them, so that no worker rereads them. */
export async function removeFromCanvas(
  tx: Tx,
  organizationId: string,
  itemIds: readonly string[],
): Promise<void> {
  if (itemIds.length === 0) return
  const { rows } = await sql`
    select id from source_items where organization_id = ${organizationId}
      and id = any ${idsOf(itemIds)}
    order by provider collate "C", external_id collate "C" for update`.execute(tx)
  const ids = ItemRows.parse(rows).map((row) => row.id)
  if (ids.length === 0) return
  await lockCanvas(tx, organizationId)
  const removed = await removeMentions(tx, organizationId, ids)
  if (removed.length === 0) return
  const changes = new CountChanges()
  for (const mention of removed) changes.remove(mention)
  await changes.write(tx, organizationId)
}

/** Queues stored items for another reading. */
export async function rereadItems(tx: Tx, organizationId: string, itemIds: readonly string[]): Promise<void> {
  await sql`
    update source_items set canvas_sha256 = null where organization_id = ${organizationId}
      and id = any ${idsOf(itemIds)}`.execute(tx)
}
