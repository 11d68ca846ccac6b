import { sql } from 'kysely'
import {
  acquireLease,
  isLeaseFree,
  type Lease,
  releaseLease,
  requireLease as require,
  updateHeld,
} from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { hasAccount, lockSource, saveCursor, type Source } from '../sources/index.ts'

/** How long a lease lasts without renewal. */
export const LEASE_SECONDS = 60

/** A run that this process holds, with its source at the time it was acquired. */
export interface LeasedRun {
  organizationId: string
  runId: string
  lease: Lease<'sync_runs'>
  fullResync: boolean
  startedAt: Date
  /** How often workers acquired it since it last stored a page, including now. */
  takes: number
  /** When its provider first asked for a long wait since it last stored a page; null: it has not. */
  waitingSince: Date | null
  source: Source
}

/** Candidates per lookup: if other workers acquire the first ones, a later one is free. */
const CANDIDATES = 16

interface Candidate extends SourceRef {
  runId: string
}

/**
 * Acquires the run that has waited longest, queued or with an expired lease. A full resync drops the cursor first.
 */
export async function acquireRun(
  db: Db,
  providers: readonly ProviderId[],
  now: Date,
): Promise<LeasedRun | undefined> {
  if (providers.length === 0) return undefined
  for (const candidate of await findFreeRuns(db, providers, now)) {
    const taken = await transact(db, (tx) => take(tx, candidate, now))
    if (taken) return taken
  }
  return undefined
}

/** Without locks: rows are locked by key alone, on whichever database node holds them. */
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
    // Runs of sources over the plan wait.
    .where('s.beyond_plan', '=', false)
    .where(isLeaseFree('r.lease_expires_at'))
    .where((where) => where.or([where('r.not_before', 'is', null), where('r.not_before', '<=', now)]))
    .orderBy('r.created_at')
    .orderBy('r.id')
    .limit(CANDIDATES)
    .execute()
}

async function take(tx: Tx, candidate: Candidate, now: Date): Promise<LeasedRun | undefined> {
  // The source before the run, the lock order everywhere.
  const source = await lockSource(tx, candidate)
  if (!source) return undefined
  const run = await tx
    .selectFrom('sync_runs as r')
    .select(['r.started_at', 'r.full_resync', 'r.takes', 'r.waiting_since'])
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
    waitingSince: run.waiting_since,
    source: startsAnew ? { ...source, cursor: null } : source,
  }
}

/** Shows until when the run waits for its provider; null: it has resumed. No worker acquires it earlier. */
export async function noteWait(db: Db, { lease }: LeasedRun, until: Date | null): Promise<void> {
  await updateHeld(db, lease, { not_before: until })
}

/** Locks the run until the transaction ends. @throws LeaseLost */
export async function requireLease(tx: Tx, { lease }: LeasedRun): Promise<void> {
  await require(tx, lease, sql<boolean>`status = 'running'`)
}

/** A long wait for a provider. `since`: the first such wait after the last stored page. */
export interface LongWait {
  since: Date
  until: Date
}

/** Queues the run again, for any worker, at once or after a wait. */
export async function requeue(db: Db, { lease }: LeasedRun, wait: LongWait | null): Promise<void> {
  // The run did not cause the interruption.
  const takes = sql<number>`greatest(takes - 1, 0)`
  const waits = wait && { waiting_since: wait.since }
  await releaseLease(db, lease, {
    set: { status: 'queued', not_before: wait?.until ?? null, takes, ...waits },
  })
}

/** Deletes the active runs of a removed source; their workers lose the lease. */
export async function dropActiveRuns(tx: Tx, { organizationId, sourceId }: SourceRef): Promise<void> {
  await tx
    .deleteFrom('sync_runs')
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', sourceId)
    .where('status', 'in', ['queued', 'running'])
    .execute()
}
