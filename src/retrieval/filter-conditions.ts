import { type RawBuilder, sql } from 'kysely'
import { storableJson, storableText } from '../kernel/text.ts'
import type { SearchFilter } from './search-schema.ts'

/** A condition on the chunk's item: that it names one of these entities; null asks for nothing. */
export function naming(organizationId: string, entityIds: readonly string[] | null): RawBuilder<unknown> {
  if (entityIds === null) return sql``
  return sql`and e.source_item_id in (
    select n.source_item_id from item_entities n
    where n.organization_id = ${organizationId} and n.entity_id in (${sql.join([...entityIds])}))`
}

/** The filter as a condition on the chunk's item, where it asks for something of it. */
export function matchingItems(organizationId: string, filter: SearchFilter): RawBuilder<unknown> {
  const conditions = conditionsOf(filter)
  if (conditions.length === 0) return sql``
  return sql`and e.source_item_id in (
    select f.id from source_items f
    where f.organization_id = ${organizationId} and ${sql.join(conditions, sql` and `)})`
}

/** What the filter asks of an item `f`. */
export function conditionsOf(filter: SearchFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = []
  if (filter.sourceKinds) conditions.push(sql`f.source_kind in (${sql.join(filter.sourceKinds)})`)
  if (filter.authorName !== undefined)
    conditions.push(sql`f.author_name = ${storableText(filter.authorName)}`)
  if (filter.connectorId !== undefined) conditions.push(sql`f.source_id = ${filter.connectorId}`)
  // An item whose source gave no date counts as of when it came here.
  const updatedAt = sql`coalesce(f.source_updated_at, f.source_created_at, f.synced_at)`
  if (filter.updatedAfter !== undefined)
    conditions.push(sql`${updatedAt} >= ${new Date(filter.updatedAfter)}`)
  if (filter.updatedBefore !== undefined)
    conditions.push(sql`${updatedAt} < ${new Date(filter.updatedBefore)}`)
  // Containment of a value that is no object or array is equality.
  if (filter.metadata) {
    conditions.push(sql`f.metadata @> ${JSON.stringify(storableJson(filter.metadata))}::jsonb`)
  }
  return conditions
}
