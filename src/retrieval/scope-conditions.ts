import { type RawBuilder, sql } from 'kysely'
import type { Readable } from '../kernel/viewer.ts'
import { mayBeRead } from '../permissions/index.ts'
import { conditionsOf, type SearchFilter } from '../vector-memory/index.ts'
import type { NearestQuery } from './nearest-query.ts'

/** The conditions on the items of chunks `e`: readable, matching the filter, and naming the entity. */
function matchingItems({
  organizationId,
  readable,
  filter,
  entityIds,
}: Pick<NearestQuery, 'organizationId' | 'readable' | 'filter' | 'entityIds'>): RawBuilder<unknown> {
  const conditions = [...ofPolicies(readable), ...wheresOf(filter), ...naming(organizationId, entityIds)]
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

/** The conditions of a filter on item `f`. */
export function wheresOf(filter: SearchFilter): RawBuilder<unknown>[] {
  return conditionsOf(filter).map(({ where }) => where)
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
