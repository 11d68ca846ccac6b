import { sql } from 'kysely'
import {
  acquireLease,
  isLeaseFree,
  type Lease,
  NO_LEASE,
  releaseLease,
  renewLease as renew,
  requireLease as require,
  updateHeld,
} from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { hasAccount, lockSource, saveCursor, type Source } from '../sources/index.ts'

/** How long a lease holds without being renewed. */
export const LEASE_SECONDS = 60

/** A run that this process may work on, with its source as it was then. */
export interface TakenRun {
  organizationId: string
  runId: string
  lease: Lease<'sync_runs'>
  fullResync: boolean
  /** When it was taken up for the first time. */
  startedAt: Date
  /** How often it was taken up since it last stored a page, this time included. */
  takes: number
  source: Source
}

/** Runs looked at in one go: while others take the first ones, one of the next is free. */
const CANDIDATES = 16

interface Candidate extends SourceRef {
  runId: string
}

/**
 * Takes up the run that has waited longest: a queued one, or one whose worker let its lease run out. Leases are measured
 * by the database's clock, so that the clocks of workers do not matter. The first time, a full resync drops the cursor.
 * @param now for `started_at` and for runs that wait for a time
 */
export async function takeRun(
  db: Db,
  providers: readonly ProviderId[],
  now: Date,
): Promise<TakenRun | undefined> {
  if (providers.length === 0) return undefined
  for (const candidate of await findFreeRuns(db, providers, now)) {
    const taken = await retryConflicts(() => db.transaction().execute((tx) => take(tx, candidate, now)))
    if (taken) return taken
  }
  return undefined
}

/** Without locks: a lock is taken by key alone, on whichever of a database's servers has the row. */
async function findFreeRuns(db: Db, providers: readonly ProviderId[], now: Date): Promise<Candidate[]> {
  return await db
    .selectFrom('sync_runs as r')
    .innerJoin('sources as s', (join) =>
      join.onRef('s.organization_id', '=', 'r.organization_id').onRef('s.id', '=', 'r.source_id'),
    )
    .select(['r.organization_id as organizationId', 'r.id as runId', 'r.source_id as sourceId'])
    .where('r.status', 'in', ['queued', 'running'])
    .where('s.provider', 'in', [...providers])
    .where(hasAccount('s'))
    // What the plan has no room for waits until it has.
    .where('s.beyond_plan', '=', false)
    .where(isLeaseFree('r.lease_expires_at'))
    .where((where) => where.or([where('r.not_before', 'is', null), where('r.not_before', '<=', now)]))
    .orderBy('r.created_at')
    .orderBy('r.id')
    .limit(CANDIDATES)
    .execute()
}

/** Takes up a run if it is still free and nobody else is taking it. */
async function take(tx: Tx, candidate: Candidate, now: Date): Promise<TakenRun | undefined> {
  // The source before the run, as everybody does.
  const source = await lockSource(tx, candidate)
  if (!source) return undefined
  const run = await tx
    .selectFrom('sync_runs as r')
    .select(['r.started_at', 'r.full_resync', 'r.takes'])
    .where('r.organization_id', '=', candidate.organizationId)
    .where('r.id', '=', candidate.runId)
    .where('r.status', 'in', ['queued', 'running'])
    .where(isLeaseFree('r.lease_expires_at'))
    .where((where) => where.or([where('r.not_before', 'is', null), where('r.not_before', '<=', now)]))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!run) return undefined
  const { organizationId, runId } = candidate
  const startsAnew = run.full_resync && run.started_at === null
  if (startsAnew) await saveCursor(tx, candidate, null)
  const startedAt = run.started_at ?? now
  const takes = run.takes + 1
  const lease = await acquireLease(
    tx,
    { table: 'sync_runs', key: { organization_id: organizationId, id: runId } },
    { seconds: LEASE_SECONDS, set: { status: 'running', started_at: startedAt, not_before: null, takes } },
  )
  if (lease === null) return undefined
  return {
    organizationId,
    runId,
    lease,
    fullResync: run.full_resync,
    startedAt,
    takes,
    source: startsAnew ? { ...source, cursor: null } : source,
  }
}

/** Extends the lease by {@link LEASE_SECONDS}. @throws LeaseLost */
export async function renewLease(db: Db, { lease }: TakenRun): Promise<void> {
  await renew(db, lease, { seconds: LEASE_SECONDS })
}

/**
 * Says until when the run waits for its provider, for people to see; null: it goes on. Should its worker die meanwhile, the run
 * is not taken up before that time either.
 */
export async function noteWait(db: Db, { lease }: TakenRun, until: Date | null): Promise<void> {
  await updateHeld(db, lease, { not_before: until })
}

/** Locks the run until the transaction ends. @throws LeaseLost */
export async function requireLease(tx: Tx, { lease }: TakenRun): Promise<void> {
  await require(tx, lease, sql<boolean>`status = 'running'`)
}

/** Queues the run again, for any worker, at once or from `notBefore` on. */
export async function requeue(db: Db, { lease }: TakenRun, notBefore: Date | null): Promise<void> {
  // What ended the work was not the run's fault.
  const takes = sql<number>`greatest(takes - 1, 0)`
  await releaseLease(db, lease, { set: { status: 'queued', not_before: notBefore, takes } })
}

/** Queues all running runs again: for a database that no other process can have open. */
export async function releaseAllLeases(db: Db): Promise<void> {
  await db
    .updateTable('sync_runs')
    .set({ status: 'queued', ...NO_LEASE })
    .where('status', '=', 'running')
    .execute()
}

/** Drops the runs of a removed source that have not ended: whoever is at work on one has lost its lease. */
export async function dropActiveRuns(tx: Tx, { organizationId, sourceId }: SourceRef): Promise<void> {
  await tx
    .deleteFrom('sync_runs')
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', sourceId)
    .where('status', 'in', ['queued', 'running'])
    .execute()
}
