import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { type PageQuery, readPage } from '../database/list-page.ts'
import type { Row } from '../database/schema.ts'
import type { Caller } from '../kernel/principal.ts'
import type { AuditAction } from './actions.ts'

export interface AuditEventView {
  id: string
  organizationId: string
  actorUserId: string | null
  actorApiKeyId: string | null
  action: string
  targetType: string
  targetId: string
  metadata: Record<string, unknown>
  createdAt: string
}

export const NEWEST = { at: 'created_at', id: 'id' }

/** Selects events that match every field. */
export interface EventFilter {
  action?: AuditAction | undefined
  /** The person or the key that acted. */
  actor?: string | undefined
  target?: string | undefined
  /** ISO 8601, inclusive. */
  from?: string | undefined
  /** Exclusive. */
  to?: string | undefined
}

export interface EventPage {
  auditEvents: AuditEventView[]
  /** Absent on the last page, which then has the form that agents get. */
  nextCursor?: string
}

/**
 * A page of the events that match a filter and name no provider outside the caller's scope, newest first.
 * @throws AppError `validation_failed` for a cursor of another list
 */
export async function pageEvents(
  db: Db,
  caller: Caller,
  { cursor, limit, ...filter }: EventFilter & PageQuery,
): Promise<EventPage> {
  const { action, actor, target, from, to } = filter
  const list = ['audit-events', caller.organizationId, action, actor, target, from, to]
  const query = { cursor, limit }
  const { page, nextCursor } = await readPage(selectEvents(db, caller, filter), list, NEWEST, query)
  return { auditEvents: page.map(toView), ...(nextCursor === null ? {} : { nextCursor }) }
}

/** The query for matching events; each filter has an index in the order of a list. */
export function selectEvents(db: Db, caller: Caller, filter: EventFilter) {
  return filterEvents(db, caller, filter).selectAll()
}

/** The same without columns. */
export function filterEvents(db: Db, caller: Caller, { action, actor, target, from, to }: EventFilter) {
  const scope = caller.allowedProviders
  let events = db.selectFrom('audit_events').where('organization_id', '=', caller.organizationId)
  if (scope !== null) events = events.where(sql<boolean>`providers <@ array[${sql.join(scope)}]::text[]`)
  if (action !== undefined) events = events.where('action', '=', action)
  if (actor !== undefined)
    events = events.where(sql<boolean>`coalesce(actor_user_id, actor_api_key_id) = ${actor}::uuid`)
  if (target !== undefined) events = events.where('target_id', '=', target)
  if (from !== undefined) events = events.where(sql<boolean>`created_at >= ${from}::timestamptz`)
  if (to !== undefined) events = events.where(sql<boolean>`created_at < ${to}::timestamptz`)
  return events
}

export function toView(row: Row<'audit_events'>): AuditEventView {
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
