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

/** The newest `limit` events of the caller's organization that name no provider outside its scope, newest first. */
export async function listEvents(db: Db, caller: Caller, limit: number): Promise<AuditEventView[]> {
  const rows = await selectEvents(db, caller, {}, null).limit(limit).execute()
  return rows.map(toView)
}

/**
 * A page of the events that match a filter, newest first. Later pages cost no more than the first.
 * @throws AppError `validation_failed` for a cursor of another list
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

/** Up to `limit` events from a place (null: the newest), and the place of the next page; null: this is the last. */
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

/** The query for matching events in order; each filter has an index in that order. */
export function selectEvents(db: Db, caller: Caller, filter: EventFilter, place: ListPlace | null) {
  const { action, actor, target, from, to } = filter
  const scope = caller.allowedProviders
  let events = db
    .selectFrom('audit_events')
    .selectAll()
    // To the microsecond, as the database stores it; a JavaScript date has milliseconds.
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
