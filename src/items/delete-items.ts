import { sql } from 'kysely'
import { z } from 'zod'
import type { Tx } from '../database/database.ts'
import type { ProviderId } from '../kernel/providers.ts'

export type ItemsToDelete =
  | { organizationId: string; provider: ProviderId; externalIds: readonly string[] }
  | { organizationId: string; ids: readonly string[] }

export interface DeletedItem {
  id: string
  provider: ProviderId
  externalId: string
  sourceId: string
}

const DeletedRows = z.array(
  z.object({
    id: z.string(),
    provider: z.custom<ProviderId>(),
    external_id: z.string(),
    source_id: z.string(),
  }),
)

/** How a caller names an item. */
export type NamedItem = { id: string } | { provider: ProviderId; externalId: string }

/** Deletes items with their chunks and vectors, in one statement; what is not there is passed over. */
export async function deleteItems(tx: Tx, items: ItemsToDelete): Promise<DeletedItem[]> {
  const list = JSON.stringify('ids' in items ? items.ids : items.externalIds)
  const named =
    'ids' in items ? sql`i.id = value::uuid` : sql`i.provider = ${items.provider} and i.external_id = value`
  const { rows } = await sql`
    delete from source_items i using json_array_elements_text(${list}::json)
    where i.organization_id = ${items.organizationId} and ${named}
    returning i.id, i.provider, i.external_id, i.source_id`.execute(tx)
  return toDeleted(rows)
}

/**
 * Deletes the item that a caller names, if it is of these providers and of a source that is not removed; else touches
 * nothing, and takes as long as for an item that does not exist.
 */
export async function deleteShownItem(
  tx: Tx,
  {
    organizationId,
    providers,
    item,
  }: { organizationId: string; providers: readonly ProviderId[]; item: NamedItem },
): Promise<DeletedItem | undefined> {
  const isNamed =
    'id' in item
      ? sql`i.id = ${item.id}`
      : sql`i.provider = ${item.provider} and i.external_id = ${item.externalId}`
  const { rows } = await sql`
    delete from source_items i using sources s
    where i.organization_id = ${organizationId} and ${isNamed} and i.provider in (${sql.join([...providers])})
      and s.organization_id = i.organization_id and s.id = i.source_id and s.removed_at is null
    returning i.id, i.provider, i.external_id, i.source_id`.execute(tx)
  return toDeleted(rows)[0]
}

function toDeleted(rows: unknown): DeletedItem[] {
  return DeletedRows.parse(rows).map((row) => ({
    id: row.id,
    provider: row.provider,
    externalId: row.external_id,
    sourceId: row.source_id,
  }))
}
