import type { Db, Tx } from '../database/database.ts'
import type { JsonValue, PushState } from '../providers/index.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { noteAnnouncement, schedulePoll } from '../sources/index.ts'
import type { LeasedRun } from './run-lease.ts'

/** Hints per run. With more, the run reads the oldest and the others wait for the next run. */
const HINTS_EVENTS_MAX = 5_000
/** How long events wait for others before they queue a run. */
const GATHER_MS = 3_000

export interface ReceivedEvent extends SourceRef {
  /** The provider's id of the event, which identifies duplicates. */
  eventId: string
  /** JSON values defined by the adapter. */
  hints: readonly unknown[]
  at: Date
}

/** Stores a webhook event and schedules a poll soon, as an announcement does. Returns false for a duplicate. */
export async function notePushEvent(tx: Tx, event: ReceivedEvent): Promise<boolean> {
  const inserted = await tx
    .insertInto('push_events')
    .values({
      organization_id: event.organizationId,
      source_id: event.sourceId,
      event_id: event.eventId,
      hints: JSON.stringify(event.hints),
      received_at: event.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .executeTakeFirst()
  if (!inserted) return false
  await noteAnnouncement(tx, event, { at: event.at, pollAt: new Date(event.at.getTime() + GATHER_MS) })
  return true
}

/** The unread hints, and the positions of their events. */
export async function readPushState(
  db: Db,
  run: LeasedRun,
): Promise<{ state: PushState; positions: number[] }> {
  const events = await db
    .selectFrom('push_events')
    .select(['hints', 'position'])
    .where('organization_id', '=', run.organizationId)
    .where('source_id', '=', run.source.sourceId)
    .where('read_at', 'is', null)
    .orderBy('position')
    .limit(HINTS_EVENTS_MAX)
    .execute()
  const hints = events.flatMap((event): JsonValue[] => JSON.parse(event.hints))
  return {
    state: { since: run.source.pushSince, hints },
    positions: events.map(({ position }) => position),
  }
}

/** Marks events as read after a successful run; their ids stay to detect duplicates. Newer ones get a run soon. */
export async function dropPushEvents(
  db: Db,
  run: LeasedRun,
  positions: readonly number[],
  at: Date,
): Promise<void> {
  if (positions.length > 0) {
    await db
      .updateTable('push_events')
      .set({ read_at: at, hints: '[]' })
      .where('organization_id', '=', run.organizationId)
      .where('source_id', '=', run.source.sourceId)
      .where('position', 'in', [...positions])
      .execute()
  }
  const unread = await db
    .selectFrom('push_events')
    .select('event_id')
    .where('organization_id', '=', run.organizationId)
    .where('source_id', '=', run.source.sourceId)
    .where('read_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (unread) await schedulePoll(db, run.source, new Date(at.getTime() + GATHER_MS))
}
