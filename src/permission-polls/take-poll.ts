import { randomUUID } from 'node:crypto'
import { sql, type UpdateObject } from 'kysely'
import { isLeaseFree, leaseEnd } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import type { Schema } from '../database/schema.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { hasAccount, readSource, type Source } from '../sources/index.ts'
import { POLL_INTERVAL_MS } from './schedule.ts'

/** How long a lease holds without being renewed. */
export const LEASE_SECONDS = 60
/** Polls looked at in one go: while others take the first ones, one of the next is free. */
const CANDIDATES = 16

/** A poll that this process works on. */
export interface TakenPoll {
  source: Source
  leaseId: string
  /** When the next one is due, unless it is asked for before. */
  nextAt: Date
}

/** The poll is somebody else's by now, or gone with its source. */
export class PollLost extends Error {
  constructor() {
    super('the lease of the permission poll is lost')
    this.name = 'PollLost'
  }
}

/** Acquires the poll that has been due longest. */
export async function takePoll(
  db: Db,
  providers: readonly ProviderId[],
  now: Date,
): Promise<TakenPoll | undefined> {
  if (providers.length === 0) return undefined
  for (const candidate of await findDue(db, providers, now)) {
    const nextAt = new Date(now.getTime() + POLL_INTERVAL_MS)
    const leaseId = await retryConflicts(() =>
      db.transaction().execute((tx) => take(tx, candidate, { now, nextAt })),
    )
    if (leaseId !== null) return { source: await readSource(db, candidate), leaseId, nextAt }
  }
  return undefined
}

/** Without locks: a lock is taken by key alone, on whichever of a database's servers has the row. */
async function findDue(db: Db, providers: readonly ProviderId[], now: Date): Promise<SourceRef[]> {
  return await db
    .selectFrom('permission_polls as p')
    .innerJoin('sources as s', (join) =>
      join.onRef('s.organization_id', '=', 'p.organization_id').onRef('s.id', '=', 'p.source_id'),
    )
    .select(['p.organization_id as organizationId', 'p.source_id as sourceId'])
    .where('p.next_at', '<=', now)
    .where(isLeaseFree('p.lease_expires_at'))
    .where('s.provider', 'in', [...providers])
    .where('s.status', '<>', 'disabled')
    .where(hasAccount('s'))
    .orderBy('p.next_at')
    .limit(CANDIDATES)
    .execute()
}

async function take(
  tx: Tx,
  { organizationId, sourceId }: SourceRef,
  { now, nextAt }: { now: Date; nextAt: Date },
): Promise<string | null> {
  const free = await tx
    .selectFrom('permission_polls')
    .select('source_id')
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', sourceId)
    .where('next_at', '<=', now)
    .where(isLeaseFree('lease_expires_at'))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!free) return null
  const leaseId = randomUUID()
  await tx
    .updateTable('permission_polls')
    .set({ lease_id: leaseId, lease_expires_at: leaseEnd(LEASE_SECONDS), next_at: nextAt })
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', sourceId)
    .execute()
  return leaseId
}

/** Holds the poll's row until the transaction ends. @throws PollLost */
export async function requirePoll(tx: Tx, { source, leaseId }: TakenPoll): Promise<void> {
  const held = await tx
    .selectFrom('permission_polls')
    .select('source_id')
    .where('organization_id', '=', source.organizationId)
    .where('source_id', '=', source.sourceId)
    .where('lease_id', '=', leaseId)
    .forUpdate()
    .executeTakeFirst()
  if (!held) throw new PollLost()
}

/** @returns false where the lease is lost */
export async function renewPoll(db: Db, poll: TakenPoll): Promise<boolean> {
  return await update(db, poll, { lease_expires_at: leaseEnd(LEASE_SECONDS) })
}

/** Ends a poll: what came of it, and when the next one is due. One that was asked for meanwhile stays due. */
export async function endPoll(
  db: Db,
  poll: TakenPoll,
  end: { checkedAt: Date | null; errorMessage: string | null; nextAt: Date },
): Promise<void> {
  await update(db, poll, {
    ...(end.checkedAt === null ? {} : { checked_at: end.checkedAt }),
    error_message: end.errorMessage,
    next_at: sql<Date>`case when next_at = ${poll.nextAt} then ${end.nextAt}::timestamptz
      else least(next_at, ${end.nextAt}::timestamptz) end`,
    lease_id: null,
    lease_expires_at: null,
  })
}

/** Gives a poll back: it is due at once. */
export async function handBackPoll(db: Db, poll: TakenPoll, now: Date): Promise<void> {
  await update(db, poll, { lease_id: null, lease_expires_at: null, next_at: now })
}

async function update(
  db: Db,
  { source, leaseId }: TakenPoll,
  values: UpdateObject<Schema, 'permission_polls', 'permission_polls'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('permission_polls')
    .set(values)
    .where('organization_id', '=', source.organizationId)
    .where('source_id', '=', source.sourceId)
    .where('lease_id', '=', leaseId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Nobody else can have the embedded database: what was at work there belongs to a process that is gone. */
export async function releasePolls(db: Db): Promise<void> {
  await db.updateTable('permission_polls').set({ lease_id: null, lease_expires_at: null }).execute()
}
