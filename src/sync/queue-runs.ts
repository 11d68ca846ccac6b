import { randomUUID } from 'node:crypto'
import { retryConflicts } from '../database/retry-conflicts.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { nextPoll } from './finish-run.ts'

/** Sources polled at one look: the rest of a crowd follows with the next looks, so that not all start at once. */
const POLLED_AT_ONCE = 20

/** Queues a run; undefined when one is queued or running already. */
export async function queueRun(
  tx: Tx,
  run: { organizationId: string; sourceId: string; fullResync: boolean; at: Date },
): Promise<Row<'sync_runs'> | undefined> {
  return await tx
    .insertInto('sync_runs')
    .values({
      organization_id: run.organizationId,
      id: randomUUID(),
      source_id: run.sourceId,
      status: 'queued',
      full_resync: run.fullResync,
      created_at: run.at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'source_id'])
        .where('status', 'in', ['queued', 'running'])
        .doNothing(),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Queues runs for the sources that are due, paused ones and those beyond the plan's room left out; answers how many. */
export async function queuePolls(
  db: Db,
  providers: readonly ProviderId[],
  deps: { now: Date; intervalMs: number; random: () => number },
): Promise<number> {
  if (providers.length === 0) return 0
  const { now } = deps
  return await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      const due = await tx
        .selectFrom('sources')
        .select(['organization_id', 'id'])
        .where('push_only', '=', false)
        .where('status', '<>', 'disabled')
        .where('beyond_plan', '=', false)
        .where('provider', 'in', [...providers])
        .where('next_poll_at', '<=', now)
        .orderBy('next_poll_at')
        .limit(POLLED_AT_ONCE)
        .forNoKeyUpdate()
        .skipLocked()
        .execute()
      let queued = 0
      for (const { organization_id: organizationId, id: sourceId } of due) {
        const run = await queueRun(tx, { organizationId, sourceId, fullResync: false, at: now })
        if (run) queued += 1
        await tx
          .updateTable('sources')
          .set({ next_poll_at: nextPoll(now, deps) })
          .where('organization_id', '=', organizationId)
          .where('id', '=', sourceId)
          .execute()
      }
      return queued
    }),
  )
}
