import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { type PageQuery, readPage } from '../database/list-page.ts'
import type { Row } from '../database/schema.ts'
import type { Caller } from '../kernel/caller.ts'
import type { AuditEvent } from './schemas.ts'

export const NEWEST = { at: 'created_at', id: 'id' }

/** Selects events that match every field. */
export interface EventFilter {
  action?: string | undefined
  /** The person or the key that acted. */
  actor?: string | undefined
  /** The target's id, or the external id of a deleted item. */
  target?: string | undefined
  /** Deleted items with this external id; see {@link withDeletedItems}. */
  deletedItems?: readonly string[]
  /** ISO 8601, inclusive. */
  from?: string | undefined
  /** Exclusive. */
  to?: string | undefined
}

export interface EventPage {
  auditEvents: AuditEvent[]
  /** Absent on the last page, which then has the form that agents get. */
  nextCursor?: string
}

/** A page of matching events within the caller's scope, newest first. @throws AppError `validation_failed` */
export async function pageEvents(
  db: Db,
  caller: Caller,
  { cursor, limit, ...filter }: EventFilter & PageQuery,
): Promise<EventPage> {
  const { action, actor, target, from, to } = filter
  const list = ['audit-events', caller.organizationId, action, actor, target, from, to]
  const query = { cursor, limit }
  const events = filterEvents(db, caller, await withDeletedItems(db, caller, filter)).selectAll()
  const { page, nextCursor } = await readPage(events, list, NEWEST, query)
  return { auditEvents: page.map(toView), ...(nextCursor === null ? {} : { nextCursor }) }
}

/** The query for matching events, without columns; each filter has an index in the order of a list. */
export function filterEvents(
  db: Db,
  caller: Caller,
  { action, actor, target, deletedItems = [], from, to }: EventFilter,
) {
  const scope = caller.allowedProviders
  let events = db.selectFrom('audit_events').where('organization_id', '=', caller.organizationId)
  if (scope !== null) events = events.where(sql<boolean>`providers <@ array[${sql.join(scope)}]::text[]`)
  if (action !== undefined) events = events.where('action', '=', action)
  if (actor !== undefined)
    events = events.where(sql<boolean>`coalesce(actor_user_id, actor_api_key_id) = ${actor}::uuid`)
  if (target !== undefined) events = events.where('target_id', 'in', [target, ...deletedItems])
  if (from !== undefined) events = events.where(sql<boolean>`created_at >= ${from}::timestamptz`)
  if (to !== undefined) events = events.where(sql<boolean>`created_at < ${to}::timestamptz`)
  return events
}

const DELETED_MAX = 100

/** Adds the deleted items whose external id is the target: a person knows a deleted item by no other name. */
export async function withDeletedItems(
  db: Db,
  { organizationId }: Caller,
  filter: EventFilter,
): Promise<EventFilter> {
  if (filter.target === undefined) return filter
  const events = await db
    .selectFrom('audit_events')
    .select('target_id')
    .where('organization_id', '=', organizationId)
    .where('action', '=', 'source_item.delete')
    .where(sql<boolean>`metadata ->> 'externalId' = ${filter.target}`)
    .orderBy('created_at', 'desc')
    .limit(DELETED_MAX)
    .execute()
  return { ...filter, deletedItems: events.map(({ target_id }) => target_id) }
}

export function toView(row: Row<'audit_events'>): AuditEvent {
  return {
    id: row.id,
    organizationId: row.organization_id,
    actorUserId: row.actor_user_id,
    actorApiKeyId: row.actor_api_key_id,
    action: row.action,
    targetType: row.target_type,
    targetId: row.target_id,
    metadata: row.metadata,
    createdAt: row.created_at.toISOString(),
  }
}
