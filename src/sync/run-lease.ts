import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { isLeaseFree, leaseEnd } from '../background/index.ts'
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
  leaseId: string
  fullResync: boolean
  /** When it was taken up for the first time. */
  startedAt: Date
  /** How often it was taken up since it last stored a page, this time included. */
  takes: number
  source: Source
}

/** The run is somebody else's by now, or gone with its source: nothing more may be written. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the run is lost')
    this.name = 'LeaseLost'
  }
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
    .select(['r.started_at', 'r.full_resync'])
    .where('r.organization_id', '=', candidate.organizationId)
    .where('r.id', '=', candidate.runId)
    .where('r.status', 'in', ['queued', 'running'])
    .where(isLeaseFree('r.lease_expires_at'))
    .where((where) => where.or([where('r.not_before', 'is', null), where('r.not_before', '<=', now)]))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!run) return undefined
  const startsAnew = run.full_resync && run.started_at === null
  if (startsAnew) await saveCursor(tx, candidate, null)
  return await lease(tx, candidate.runId, startsAnew ? { ...source, cursor: null } : source, now)
}

async function lease(tx: Tx, runId: string, source: Source, now: Date): Promise<TakenRun> {
  const { organizationId } = source
  const leaseId = randomUUID()
  const taken = await tx
    .updateTable('sync_runs')
    .set({
      status: 'running',
      lease_id: leaseId,
      lease_expires_at: leaseEnd(LEASE_SECONDS),
      started_at: sql<Date>`coalesce(started_at, ${now})`,
      not_before: null,
      takes: sql<number>`takes + 1`,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', runId)
    .returning(['full_resync', 'started_at', 'takes'])
    .executeTakeFirstOrThrow()
  return {
    organizationId,
    runId,
    leaseId,
    fullResync: taken.full_resync,
    startedAt: taken.started_at ?? now,
    takes: taken.takes,
    source,
  }
}

/** Whether the lease was still ours, and now holds for another {@link LEASE_SECONDS}. */
export async function renewLease(db: Db, run: TakenRun): Promise<boolean> {
  const renewed = await db
    .updateTable('sync_runs')
    .set({ lease_expires_at: leaseEnd(LEASE_SECONDS) })
    .where('organization_id', '=', run.organizationId)
    .where('id', '=', run.runId)
    .where('lease_id', '=', run.leaseId)
    .returning('id')
    .executeTakeFirst()
  return renewed !== undefined
}

/**
 * Says until when the run waits for its provider, for people to see; null: it goes on. Should its worker die meanwhile, the run
 * is not taken up before that time either.
 */
export async function noteWait(db: Db, run: TakenRun, until: Date | null): Promise<void> {
  await db
    .updateTable('sync_runs')
    .set({ not_before: until })
    .where('organization_id', '=', run.organizationId)
    .where('id', '=', run.runId)
    .where('lease_id', '=', run.leaseId)
    .execute()
}

/** Locks the run until the transaction ends. @throws LeaseLost when it is not ours any more. */
export async function requireLease(tx: Tx, run: TakenRun): Promise<void> {
  const held = await tx
    .selectFrom('sync_runs')
    .select('id')
    .where('organization_id', '=', run.organizationId)
    .where('id', '=', run.runId)
    .where('lease_id', '=', run.leaseId)
    .where('status', '=', 'running')
    .forUpdate()
    .executeTakeFirst()
  if (!held) throw new LeaseLost()
}

/** Lets the run go: it is queued again, for anybody to take up at once or from `notBefore` on. */
export async function handBack(db: Db, run: TakenRun, notBefore: Date | null): Promise<void> {
  await db
    .updateTable('sync_runs')
    .set({
      status: 'queued',
      lease_id: null,
      lease_expires_at: null,
      not_before: notBefore,
      // It was not the run's fault.
      takes: sql<number>`greatest(takes - 1, 0)`,
    })
    .where('organization_id', '=', run.organizationId)
    .where('id', '=', run.runId)
    .where('lease_id', '=', run.leaseId)
    .execute()
}

/** Lets go of every lease: for a database that no other process can have open. */
export async function releaseAllLeases(db: Db): Promise<void> {
  await db
    .updateTable('sync_runs')
    .set({ status: 'queued', lease_id: null, lease_expires_at: null })
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
