import { sql } from 'kysely'
import { z } from 'zod'
import type { Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { removeFromCanvas, rereadItems } from '../memory-canvas/index.ts'
import type { ItemChanges } from '../item-changes/index.ts'
import type { CleanItem } from './item.ts'

const LockedRows = z.array(z.object({ id: z.string() }))
const Dropped = z.array(z.object({ dropped: z.int() }))

/** Ends a source's claims on items. Deletes items that no source claims any more. Returns how many claims ended. */
export async function dropClaims(
  tx: Tx,
  changes: ItemChanges,
  { organizationId, sourceId: id }: SourceRef,
  externalIds: readonly string[],
  at: Date,
): Promise<number> {
  if (externalIds.length === 0) return 0
  const given = sql`json_array_elements_text(${JSON.stringify(externalIds)}::json) as given(external_id)`
  const isClaim = sql`s.organization_id = ${organizationId} and s.source_id = ${id} and s.external_id = given.external_id`
  // A separate statement that locks in one order: when two sources end their claims at once, the second sees
  // the first's end.
  const { rows: locked } = await sql`
    select i.id from ${given} join synced_items s on ${isClaim}
    join source_items i on i.organization_id = s.organization_id and i.id = s.source_item_id
    order by s.external_id for update of i`.execute(tx)
  const itemIds = LockedRows.parse(locked).map((row) => row.id)
  // The canvas reads remaining items again, for their new source.
  await removeFromCanvas(tx, organizationId, itemIds)
  const { rows } = await sql`
    with ended as (
      delete from synced_items s using ${given} where ${isClaim} returning s.source_item_id as id
    ), kept as (
      select s.source_item_id as id, (array_agg(s.source_id order by s.source_id))[1] as heir_id,
        bool_or(s.has_policy) as has_policy
      from ended e
      join synced_items s on s.organization_id = ${organizationId} and s.source_item_id = e.id and s.source_id <> ${id}
      join sources o on o.organization_id = s.organization_id and o.id = s.source_id and o.removed_at is null
      group by s.source_item_id
    ), passed as (
      update source_items i set
        -- A new source alone does not change the item.
        updated_at = case when k.has_policy or not i.metadata ? 'accessPolicy' then i.updated_at else ${at}::timestamptz end,
        source_id = case when i.source_id = ${id} then k.heir_id else i.source_id end,
        -- Until it is derived anew.
        policy_id = null,
        metadata = case when k.has_policy then i.metadata else i.metadata - 'accessPolicy' end,
        -- Without the policy it is not as any source gave it: the next source that reads it stores it again.
        content_sha256 = case when k.has_policy or not i.metadata ? 'accessPolicy' then i.content_sha256 else '' end
      from kept k
      where i.organization_id = ${organizationId} and i.id = k.id
        and (i.source_id = ${id} or (not k.has_policy and i.metadata ? 'accessPolicy'))
    ), deleted as (
      delete from source_items i using ended e
      where i.organization_id = ${organizationId} and i.id = e.id and not exists (select from kept k where k.id = e.id)
    )
    select count(*)::int as dropped from ended`.execute(tx)
  await rereadItems(tx, organizationId, itemIds)
  changes.add(itemIds)
  return Dropped.parse(rows)[0]?.dropped ?? 0
}

const deleteClaims = prepare(`
  delete from synced_items s
  using json_to_recordset($2::json) as k(provider text, "externalId" text)
  join source_items i on i.organization_id = $1 and i.provider = k.provider and i.external_id = k."externalId"
  where s.organization_id = $1 and s.source_item_id = i.id`)

/** Ends all claims on these items: a caller pushed them, so no run removes them. */
export async function endClaims(tx: Tx, organizationId: string, items: readonly CleanItem[]): Promise<void> {
  const keys = JSON.stringify(items.map(({ provider, externalId }) => ({ provider, externalId })))
  await deleteClaims(tx, [organizationId, keys])
}
