import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { newestFirst, type PageQuery } from '../database/list-page.ts'
import { MINUTE_MS } from '../kernel/clock.ts'
import { decodeCursor, encodeCursor } from '../kernel/list-cursor.ts'
import type { Caller } from '../kernel/caller.ts'
import { type EventFilter, filterEvents, NEWEST, toView, withDeletedItems } from './list-events.ts'
import type { AuditEvent, EventGroup } from './schemas.ts'

export interface GroupPage {
  groups: EventGroup[]
  /** null: the last page. */
  nextCursor: string | null
}

export const GAP_MS = 10 * MINUTE_MS
/** Events that one page reads at most, without their metadata. */
const SCANNED_MAX = 5_000

interface Place {
  id: string
  action: string
  actor: string | null
  at: Date
  place_at: string
  place_id: string
}

interface Run {
  newest: Place
  oldest: Place
  count: number
}

/** A page of groups of matching events, newest first, up to `scannedMax`. @throws AppError `validation_failed` */
export async function pageGroups(
  db: Db,
  caller: Caller,
  { cursor, limit, ...filter }: EventFilter & PageQuery,
  scannedMax = SCANNED_MAX,
): Promise<GroupPage> {
  const { action, actor, target, from, to } = filter
  const list = ['audit-groups', caller.organizationId, action, actor, target, from, to]
  const place = cursor === undefined ? null : decodeCursor(list, cursor)
  const events = filterEvents(db, caller, await withDeletedItems(db, caller, filter))
    .select(['id', 'action', 'created_at as at'])
    .select(sql<string | null>`coalesce(actor_user_id, actor_api_key_id)::text`.as('actor'))
  const found: Place[] = await newestFirst(events, NEWEST, place)
    .limit(scannedMax + 1)
    .execute()
  const runs = runsOf(found.slice(0, scannedMax))
  const page = runs.slice(0, limit)
  const isCut = page.length === runs.length && found.length > scannedMax
  const last = page.length < runs.length || isCut ? page.at(-1)?.oldest : undefined
  const shown = await readNewest(db, caller.organizationId, page)
  return {
    groups: page.flatMap(({ newest, oldest, count }, nth) => {
      const event = shown.get(newest.id)
      if (event === undefined) return []
      const isOpen = isCut && nth === page.length - 1
      return [{ event, count, oldestAt: oldest.at.toISOString(), isOpen }]
    }),
    nextCursor: last === undefined ? null : encodeCursor(list, { at: last.place_at, id: last.place_id }),
  }
}

function runsOf(places: readonly Place[]): Run[] {
  const runs: Run[] = []
  for (const place of places) {
    const run = runs.at(-1)
    if (run !== undefined && continues(run.oldest, place)) {
      run.oldest = place
      run.count += 1
    } else runs.push({ newest: place, oldest: place, count: 1 })
  }
  return runs
}

function continues(later: Place, earlier: Place): boolean {
  return (
    later.action === earlier.action &&
    later.actor === earlier.actor &&
    later.at.getTime() - earlier.at.getTime() <= GAP_MS
  )
}

async function readNewest(
  db: Db,
  organizationId: string,
  runs: readonly Run[],
): Promise<Map<string, AuditEvent>> {
  if (runs.length === 0) return new Map()
  const rows = await db
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(
      'id',
      'in',
      runs.map(({ newest }) => newest.id),
    )
    .execute()
  return new Map(rows.map((row) => [row.id, toView(row)]))
}
