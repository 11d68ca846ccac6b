import { type RawBuilder, sql } from 'kysely'
import type { Readable } from '../kernel/viewer.ts'
import { storableJson, storableText } from '../kernel/text.ts'
import { mayBeRead } from '../permissions/index.ts'
import type { NearestQuery } from './nearest-query.ts'
import type { SearchFilter } from './schemas.ts'

/** The conditions on the items of chunks `e`: readable, matching the filter, and naming the entity. */
function matchingItems({
  organizationId,
  readable,
  filter,
  entityIds,
}: Pick<NearestQuery, 'organizationId' | 'readable' | 'filter' | 'entityIds'>): RawBuilder<unknown> {
  const conditions = [...ofPolicies(readable), ...conditionsOf(filter), ...naming(organizationId, entityIds)]
  if (conditions.length === 0) return sql``
  return sql`and e.source_item_id in (
    select f.id from source_items f
    where f.organization_id = ${organizationId} and ${sql.join(conditions, sql` and `)})`
}

/** Requires that item `f` names one of these entities; null: no condition. */
export function naming(organizationId: string, entityIds: readonly string[] | null): RawBuilder<unknown>[] {
  if (entityIds === null) return []
  return [
    sql`f.id in (select n.source_item_id from item_entities n
      where n.organization_id = ${organizationId} and n.entity_id in (${sql.join([...entityIds])}))`,
  ]
}

/** Requires that item `f` is readable. */
function ofPolicies(readable: Readable): RawBuilder<unknown>[] {
  return readable.isEverything ? [] : [mayBeRead(readable, 'f.policy_id')]
}

export function conditionsOf(filter: SearchFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = []
  if (filter.sourceKinds) conditions.push(sql`f.source_kind in (${sql.join(filter.sourceKinds)})`)
  if (filter.authorName !== undefined)
    conditions.push(sql`f.author_name = ${storableText(filter.authorName)}`)
  if (filter.connectorId !== undefined) conditions.push(sql`f.source_id = ${filter.connectorId}`)
  // Without a date from its source, an item has the date of its last sync.
  const updatedAt = sql`coalesce(f.source_updated_at, f.source_created_at, f.synced_at)`
  if (filter.updatedAfter !== undefined)
    conditions.push(sql`${updatedAt} >= ${new Date(filter.updatedAfter)}`)
  if (filter.updatedBefore !== undefined)
    conditions.push(sql`${updatedAt} < ${new Date(filter.updatedBefore)}`)
  // For a scalar, containment is equality.
  if (filter.metadata) {
    conditions.push(sql`f.metadata @> ${JSON.stringify(storableJson(filter.metadata))}::jsonb`)
  }
  return conditions
}

/** Restricts a query to the vectors of the organization's model that are in scope and belong to matching items. */
export function inScope(
  query: Pick<NearestQuery, 'organizationId' | 'model' | 'providers' | 'readable' | 'filter' | 'entityIds'>,
): RawBuilder<unknown> {
  const { model, providers } = query
  const ofProviders = providers === null ? sql`` : sql`and e.provider in (${sql.join([...providers])})`
  return sql`e.embedding_model_id = ${model.id} ${ofProviders}
    ${matchingItems(query)}`
}

/** Excludes chunks of sources being removed, if there is one: the check costs a quarter of the time. */
export function notRemoved(organizationId: string): RawBuilder<unknown> {
  return sql`and (not exists (${removedSources(organizationId)}) or not exists (
    select from source_items f
    where f.organization_id = ${organizationId} and f.id = e.source_item_id
      and f.source_id in (${removedSources(organizationId)})))`
}

/** The same as a condition on item `f`. */
export function notBeingRemoved(organizationId: string): RawBuilder<unknown> {
  return sql`f.source_id not in (${removedSources(organizationId)})`
}

export function removedSources(organizationId: string): RawBuilder<unknown> {
  return sql`select s.id from sources s where s.organization_id = ${organizationId} and s.removed_at is not null`
}
