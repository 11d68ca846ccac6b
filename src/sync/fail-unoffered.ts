import { isLeaseFree, NO_LEASE } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { failUnofferedSource, hasAccount, lockSource } from '../sources/index.ts'
import { ENDED_RUN_COLUMNS, reportEnd } from './report-end.ts'

/** Puts sources of unconfigured providers into error, and fails their waiting runs. `reasons` are by provider. */
export async function failUnoffered(
  db: Db,
  reasons: ReadonlyMap<ProviderId, string>,
  at: Date,
): Promise<void> {
  for (const [provider, reason] of reasons) {
    for (const source of await findNotYetFailed(db, provider, reason)) {
      await transact(db, (tx) => failOne(tx, source, reason, at))
    }
  }
}

/** Sources without this error, or with a waiting run. */
async function findNotYetFailed(db: Db, provider: ProviderId, reason: string): Promise<SourceRef[]> {
  return await db
    .selectFrom('sources')
    .select(['organization_id as organizationId', 'id as sourceId'])
    .where('provider', '=', provider)
    .where(hasAccount())
    .where(({ or, and, eb, exists, selectFrom }) =>
      or([
        and([
          eb('status', '<>', 'disabled'),
          or([eb('status', '<>', 'error'), eb('error_message', 'is distinct from', reason)]),
        ]),
        exists(
          selectFrom('sync_runs as r')
            .select('r.id')
            .whereRef('r.organization_id', '=', 'sources.organization_id')
            .whereRef('r.source_id', '=', 'sources.id')
            .where('r.status', 'in', ['queued', 'running'])
            .where(isLeaseFree('r.lease_expires_at')),
        ),
      ]),
    )
    .execute()
}

async function failOne(tx: Tx, source: SourceRef, reason: string, at: Date): Promise<void> {
  const found = await lockSource(tx, source)
  if (!found) return
  const run = await tx
    .selectFrom('sync_runs')
    .select(['id', isLeaseFree('lease_expires_at').as('is_free')])
    .where('organization_id', '=', source.organizationId)
    .where('source_id', '=', source.sourceId)
    .where('status', 'in', ['queued', 'running'])
    .forUpdate()
    .executeTakeFirst()
  if (run && !run.is_free) return
  await failUnofferedSource(tx, source, reason, at)
  if (!run) return
  const ended = await tx
    .updateTable('sync_runs')
    .set({
      status: 'failed',
      finished_at: at,
      error_message: reason,
      error_code: 'not_configured',
      ...NO_LEASE,
    })
    .where('organization_id', '=', source.organizationId)
    .where('id', '=', run.id)
    .returning(ENDED_RUN_COLUMNS)
    .executeTakeFirstOrThrow()
  await reportEnd(tx, ended, { provider: found.provider, status: 'failed', at })
}
