import { sql } from 'kysely'
import { z } from 'zod'
import { recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Readable, Viewer } from '../kernel/viewer.ts'
import { removeFromCanvas } from '../memory-canvas/index.ts'
import { PROVIDERS } from '../providers/index.ts'
import { changeItems, type ItemChanges } from '../item-changes/index.ts'
import type { DeletedSeveral } from './console-schemas.ts'
import type { DeletedSourceItem } from './schemas.ts'
import { findReadable, noSuchItem, selectShownItems } from './shown-items.ts'

/** Items per transaction, which also deletes everything that belongs to them. */
export const DELETED_AT_ONCE_MAX = 100

export type NamedItem = { id: string } | { provider: ProviderId; externalId: string }

const DeletedItem = z.object({
  id: z.string(),
  provider: z.enum(PROVIDERS),
  externalId: z.string(),
  connectorId: z.string(),
})
type DeletedItem = z.output<typeof DeletedItem>
const DeletedItems = z.array(DeletedItem)

/** Deletes items with their chunks, vectors and canvas data; skips missing ones. */
export async function deleteItems(
  tx: Tx,
  changes: ItemChanges,
  organizationId: string,
  ids: readonly string[],
): Promise<DeletedItem[]> {
  await removeFromCanvas(tx, organizationId, ids)
  changes.add(ids)
  const { rows } = await sql`
    delete from source_items i using json_array_elements_text(${JSON.stringify(ids)}::json)
    where i.organization_id = ${organizationId} and i.id = value::uuid
    returning i.id, i.provider, i.external_id as "externalId", i.source_id as "connectorId"`.execute(tx)
  return DeletedItems.parse(rows)
}

/**
 * Deletes one item in the caller's scope. Takes just as long if there is none.
 * @param readable undefined: every item in scope
 * @throws AppError `not_found`
 */
export async function deleteOne(
  db: Db,
  caller: Caller,
  item: NamedItem,
  readable: Readable | undefined,
  at: Date,
): Promise<DeletedSourceItem> {
  const { organizationId } = caller
  return await changeItems(db, organizationId, async (tx, changes) => {
    const shown = selectShownItems(tx, caller).select(['source_items.id', 'source_items.policy_id'])
    const named =
      'id' in item
        ? shown.where('source_items.id', '=', item.id)
        : shown
            .where('source_items.provider', '=', item.provider)
            .where('source_items.external_id', '=', item.externalId)
    const found = await named.executeTakeFirst()
    if (!found || readable?.has(found.policy_id) === false) throw noSuchItem()
    const [deleted] = await deleteItems(tx, changes, organizationId, [found.id])
    if (!deleted) throw noSuchItem()
    await recordDeletion(tx, caller, deleted, at)
    return { sourceItem: deleted, deletedAt: at.toISOString() }
  })
}

/** Deletes the given items that the viewer may read, with one audit event each, in one transaction. */
export async function deleteSeveral(
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
  at: Date,
): Promise<DeletedSeveral> {
  const { organizationId } = viewer
  const deleted = await changeItems(db, organizationId, async (tx, changes) => {
    const readable = await findReadable(tx, viewer, ids)
    if (readable.size === 0) return []
    const items = await deleteItems(tx, changes, organizationId, [...readable])
    for (const item of items) await recordDeletion(tx, viewer, item, at)
    return items.map(({ id }) => id)
  })
  const isDeleted = new Set(deleted)
  return { deleted, notFound: ids.filter((id) => !isDeleted.has(id)) }
}

async function recordDeletion(tx: Tx, caller: Caller, { id, ...item }: DeletedItem, at: Date): Promise<void> {
  await recordEvent(tx, caller, {
    action: 'source_item.delete',
    target: ['source_item', id],
    metadata: item,
    providers: [item.provider],
    at,
  })
}
