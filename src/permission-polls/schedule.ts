import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { SourceRef } from '../kernel/source-ref.ts'

/** A change at the provider holds within five minutes: the rest is for the reading itself. */
export const POLL_INTERVAL_MS = 4 * 60_000
/** Announcements that come together are read together, and a storm of them not more often than this. */
const GATHER_MS = 2_000

/** Has a source's permissions read at a time, or before it where an earlier one is set. Makes its row where it has none. */
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

/** The provider has announced that people came or went. */
export async function announcePermissionChange(db: Db, source: SourceRef, at: Date): Promise<void> {
  await schedulePermissionPoll(db, source, new Date(at.getTime() + GATHER_MS))
}
