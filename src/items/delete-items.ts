import { sql } from 'kysely'
import { z } from 'zod'
import { recordEvent } from '../audit/index.ts'
import type { Tx } from '../database/database.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Readable } from '../kernel/viewer.ts'
import { removeFromCanvas } from '../memory-canvas/index.ts'
import { mayBeRead } from '../permissions/index.ts'
import { PROVIDERS } from '../providers/index.ts'
import type { ItemChanges } from '../item-changes/index.ts'

export type ItemsToDelete =
  | { organizationId: string; provider: ProviderId; externalIds: readonly string[] }
  | { organizationId: string; ids: readonly string[] }

const DeletedItem = z.object({
  id: z.string(),
  provider: z.enum(PROVIDERS),
  externalId: z.string(),
  sourceId: z.string(),
})
export type DeletedItem = z.output<typeof DeletedItem>
const DeletedItems = z.array(DeletedItem)
const DELETED = sql`i.id, i.provider, i.external_id as "externalId", i.source_id as "sourceId"`

export type NamedItem = { id: string } | { provider: ProviderId; externalId: string }

const FoundRows = z.array(z.object({ id: z.string() }))

/** Deletes items with their chunks, vectors and canvas data; skips missing ones. */
export async function deleteItems(
  tx: Tx,
  changes: ItemChanges,
  items: ItemsToDelete,
): Promise<DeletedItem[]> {
  const list = JSON.stringify('ids' in items ? items.ids : items.externalIds)
  const named =
    'ids' in items ? sql`i.id = value::uuid` : sql`i.provider = ${items.provider} and i.external_id = value`
  const { rows: found } = await sql`
    select i.id from source_items i, json_array_elements_text(${list}::json)
    where i.organization_id = ${items.organizationId} and ${named}`.execute(tx)
  const ids = FoundRows.parse(found).map((row) => row.id)
  // Deletes only these: an item added meanwhile may still be on the canvas.
  await removeFromCanvas(tx, items.organizationId, ids)
  changes.add(ids)
  const { rows } = await sql`
    delete from source_items i using json_array_elements_text(${JSON.stringify(ids)}::json)
    where i.organization_id = ${items.organizationId} and i.id = value::uuid
    returning ${DELETED}`.execute(tx)
  return DeletedItems.parse(rows)
}

/** Deletes the named item if the caller may; otherwise takes as long as for a missing item. */
export async function deleteShownItem(
  tx: Tx,
  changes: ItemChanges,
  {
    organizationId,
    providers,
    readable,
    item,
  }: {
    organizationId: string
    providers: readonly ProviderId[]
    /** Undefined: every item in scope. */
    readable: Readable | undefined
    item: NamedItem
  },
): Promise<DeletedItem | undefined> {
  const isNamed =
    'id' in item
      ? sql`i.id = ${item.id}`
      : sql`i.provider = ${item.provider} and i.external_id = ${item.externalId}`
  const ofThese = sql`i.provider in (${sql.join([...providers])})`
  const isReadable = readable === undefined ? sql`true` : mayBeRead(readable, 'policy_id')
  const { rows: found } = await sql`
    select i.id from source_items i
    join sources s on s.organization_id = i.organization_id and s.id = i.source_id and s.removed_at is null
    where i.organization_id = ${organizationId} and ${isNamed} and ${ofThese}
      and ${isReadable}`.execute(tx)
  const [id] = FoundRows.parse(found).map((row) => row.id)
  if (id === undefined) return undefined
  await removeFromCanvas(tx, organizationId, [id])
  changes.add([id])
  const { rows } = await sql`
    delete from source_items i using sources s
    where i.organization_id = ${organizationId} and i.id = ${id} and ${ofThese}
      and s.organization_id = i.organization_id and s.id = i.source_id and s.removed_at is null
    returning ${DELETED}`.execute(tx)
  return DeletedItems.parse(rows)[0]
}

export async function recordDeletion(
  tx: Tx,
  caller: Caller,
  { id, provider, sourceId: connectorId, externalId }: DeletedItem,
  at: Date,
): Promise<void> {
  await recordEvent(tx, caller, {
    action: 'source_item.delete',
    target: ['source_item', id],
    metadata: { provider, connectorId, externalId },
    providers: [provider],
    at,
  })
}
