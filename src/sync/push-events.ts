import type { Db, Tx } from '../database/database.ts'
import type { JsonValue, PushState } from '../providers/index.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { noteAnnouncement, schedulePoll } from '../sources/index.ts'
import type { TakenRun } from './run-lease.ts'

/** Hints of one run at most; with more than that the oldest are read and the others wait for the next run. */
const HINTS_EVENTS_MAX = 5_000
/** How long events wait to be joined by others before a run is queued for them. */
const GATHER_MS = 3_000

export interface ReceivedEvent extends SourceRef {
  /** The provider's id of the event: one that came before is dropped. */
  eventId: string
  /** JSON values of the adapter's own. */
  hints: readonly unknown[]
  at: Date
}

/**
 * Notes what a webhook announced and has the source polled soon; one in error is polled when its provider's patience allows,
 * a paused one once it is resumed. False: the event was there already.
 */
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

/** What has been announced and not been read, and the positions of the events that say so. */
export async function readPushState(
  db: Db,
  run: TakenRun,
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

/**
 * Notes that a run which succeeded had the events at these positions; one before them may have been committed after they
 * were read. Their ids stay for a while, so that repeats are known. What came meanwhile is left for a run of its own, soon.
 */
export async function dropPushEvents(
  db: Db,
  run: TakenRun,
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
