import { randomUUID } from 'node:crypto'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Row } from '../database/schema.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { hasAccount, schedulePoll } from '../sources/index.ts'
import { nextPoll } from './finish-run.ts'

/** Sources queued per tick: the rest follows with later ticks, so that they do not all start at once. */
const POLLED_AT_ONCE = 20

/** Queues a run; undefined when one is already queued or running. */
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

/** Queues runs for due sources, except paused ones and those over the plan. @returns how many */
export async function queuePolls(
  db: Db,
  providers: readonly ProviderId[],
  schedule: { now: Date; intervalMs: number; random: () => number },
): Promise<number> {
  if (providers.length === 0) return 0
  const due = await dueSources(db, schedule.now)
    .where('provider', 'in', [...providers])
    .orderBy('next_poll_at')
    .limit(POLLED_AT_ONCE)
    .execute()
  let queued = 0
  for (const source of due) {
    const isQueued = await transact(db, (tx) => queuePoll(tx, source, schedule))
    if (isQueued) queued += 1
  }
  return queued
}

function dueSources(db: Db, now: Date) {
  return db
    .selectFrom('sources')
    .select(['organization_id as organizationId', 'id as sourceId'])
    .where(hasAccount())
    .where('status', '<>', 'disabled')
    .where('beyond_plan', '=', false)
    .where('next_poll_at', '<=', now)
}

/** Queues a run if the source is still due and has no active run. It was chosen without a lock. */
async function queuePoll(
  tx: Tx,
  source: SourceRef,
  schedule: { now: Date; intervalMs: number; random: () => number },
): Promise<boolean> {
  const { now } = schedule
  const { organizationId, sourceId } = source
  const isDue = await dueSources(tx, now)
    .where('organization_id', '=', organizationId)
    .where('id', '=', sourceId)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!isDue) return false
  const run = await queueRun(tx, { organizationId, sourceId, fullResync: false, at: now })
  await schedulePoll(tx, source, nextPoll(now, schedule))
  return run !== undefined
}
