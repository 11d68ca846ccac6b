import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { MINUTE_MS } from '../kernel/clock.ts'
import type { SourceRef } from '../kernel/source-ref.ts'

/** A change at the provider takes effect within five minutes, one of which is for reading it. */
export const POLL_INTERVAL_MS = 4 * MINUTE_MS
/** Changes announced within this time are read together; also the shortest interval during a burst. */
const GATHER_MS = 2_000

/** Keeps an earlier time if one is set. Creates the row when missing. */
export async function schedulePermissionPoll(db: Db, source: SourceRef, at: Date): Promise<void> {
  await db
    .insertInto('permission_polls')
    .values({ organization_id: source.organizationId, source_id: source.sourceId, next_at: at })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'source_id'])
        .doUpdateSet({ next_at: sql<Date>`least(permission_polls.next_at, excluded.next_at)` }),
    )
    .execute()
}

export async function announcePermissionChange(db: Db, source: SourceRef, at: Date): Promise<void> {
  await schedulePermissionPoll(db, source, new Date(at.getTime() + GATHER_MS))
}
