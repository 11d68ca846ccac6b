import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { decodeCursor, encodeCursor, type ListName, type ListPlace } from '../kernel/list-cursor.ts'
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

/** Which events: all that is said has to hold. */
export interface EventFilter {
  action?: AuditAction | undefined
  /** The person or the key that acted. */
  actor?: string | undefined
  /** The id of what it was done to. */
  target?: string | undefined
  /** Not before this time, ISO 8601. */
  from?: string | undefined
  /** Before this time. */
  to?: string | undefined
}

export interface EventPage {
  auditEvents: AuditEventView[]
  /** Left out on the last page, which is then as agents get it. */
  nextCursor?: string
}

/** The newest `limit` events of the caller's organization that name no provider out of its scope, newest first. */
export async function listEvents(db: Db, caller: Caller, limit: number): Promise<AuditEventView[]> {
  const rows = await selectEvents(db, caller, {}, null).limit(limit).execute()
  return rows.map(toView)
}

/**
 * A page of the events that a filter lets through, newest first. No page costs more than the ones before.
 * @throws AppError `validation_failed` for a cursor that is not of this very list
 */
export async function pageEvents(
  db: Db,
  caller: Caller,
  { cursor, limit, ...filter }: EventFilter & { cursor?: string | undefined; limit: number },
): Promise<EventPage> {
  const { action, actor, target, from, to } = filter
  const list: ListName = ['audit-events', caller.organizationId, action, actor, target, from, to]
  const place = cursor === undefined ? null : decodeCursor(list, cursor)
  const { events, next } = await readEvents(db, caller, { filter, place, limit })
  return { auditEvents: events, ...(next === null ? {} : { nextCursor: encodeCursor(list, next) }) }
}

/** `limit` events from a place on (null: the newest), and the place where the next begin; null: there are no more. */
export async function readEvents(
  db: Db,
  caller: Caller,
  { filter, place, limit }: { filter: EventFilter; place: ListPlace | null; limit: number },
): Promise<{ events: AuditEventView[]; next: ListPlace | null }> {
  const rows = await selectEvents(db, caller, filter, place)
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? (page.at(-1) ?? null) : null
  return { events: page.map(toView), next }
}

/** The events in their order, as the statement that finds them; each filter has an index in that order. */
export function selectEvents(db: Db, caller: Caller, filter: EventFilter, place: ListPlace | null) {
  const { action, actor, target, from, to } = filter
  const scope = caller.allowedProviders
  let events = db
    .selectFrom('audit_events')
    .selectAll()
    // As exact as the database has it: a date of JavaScript ends at the millisecond.
    .select(sql<string>`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as('at'))
    .where('organization_id', '=', caller.organizationId)
  if (scope !== null) events = events.where(sql<boolean>`providers <@ array[${sql.join(scope)}]::text[]`)
  if (action !== undefined) events = events.where('action', '=', action)
  if (actor !== undefined)
    events = events.where(sql<boolean>`coalesce(actor_user_id, actor_api_key_id) = ${actor}::uuid`)
  if (target !== undefined) events = events.where('target_id', '=', target)
  if (from !== undefined) events = events.where(sql<boolean>`created_at >= ${from}::timestamptz`)
  if (to !== undefined) events = events.where(sql<boolean>`created_at < ${to}::timestamptz`)
  if (place !== null)
    events = events.where(sql<boolean>`(created_at, id) < (${place.at}::timestamptz, ${place.id}::uuid)`)
  return events.orderBy('created_at', 'desc').orderBy('id', 'desc')
}

type EventRow = Awaited<ReturnType<ReturnType<typeof selectEvents>['executeTakeFirstOrThrow']>>

function toView(row: EventRow): AuditEventView {
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
