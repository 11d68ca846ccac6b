import { sql } from 'kysely'
import { acquireLease, isLeaseFree, type Lease, releaseLease } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { hasAccount, readSource, type Source } from '../sources/index.ts'
import { POLL_INTERVAL_MS } from './schedule.ts'

export const LEASE_SECONDS = 60
/** Candidates per query: if other processes acquire the first ones, a later one is free. */
const CANDIDATES = 16

export interface LeasedPoll {
  source: Source
  lease: Lease<'permission_polls'>
  startedAt: Date
  /** When the next one is due, unless it is requested earlier. */
  nextAt: Date
}

/** Acquires the poll that has been due longest. */
export async function acquirePoll(
  db: Db,
  providers: readonly ProviderId[],
  now: Date,
): Promise<LeasedPoll | undefined> {
  if (providers.length === 0) return undefined
  for (const candidate of await findDue(db, providers, now)) {
    const { organizationId, sourceId } = candidate
    const nextAt = new Date(now.getTime() + POLL_INTERVAL_MS)
    const lease = await acquireLease(
      db,
      { table: 'permission_polls', key: { organization_id: organizationId, source_id: sourceId } },
      { seconds: LEASE_SECONDS, set: { next_at: nextAt }, where: sql<boolean>`next_at <= ${now}` },
    )
    if (lease !== null) return { source: await readSource(db, candidate), lease, startedAt: now, nextAt }
  }
  return undefined
}

/** Takes no locks: rows are locked by key only, on the server that has the row. */
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

/** Ends a poll, with its outcome and the time of the next. A poll requested in the meantime stays due. */
export async function endPoll(
  db: Db,
  { lease, nextAt }: LeasedPoll,
  end: { checkedAt: Date | null; errorMessage: string | null; nextAt: Date },
): Promise<void> {
  await releaseLease(db, lease, {
    set: {
      ...(end.checkedAt === null ? {} : { checked_at: end.checkedAt }),
      error_message: end.errorMessage,
      next_at: sql<Date>`case when next_at = ${nextAt} then ${end.nextAt}::timestamptz
        else least(next_at, ${end.nextAt}::timestamptz) end`,
    },
  })
}
