import { sql } from 'kysely'
import { isLeaseFree } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import type { ProviderId } from '../kernel/providers.ts'

/**
 * Says of the sources that this deployment cannot sync, because their provider's settings are gone, why that is: they are in
 * error, their waiting runs failed. They are due at once, for when the settings are back. What another worker is at work on
 * is left alone.
 * @param reasons why, by provider
 */
export async function failUnoffered(
  db: Db,
  reasons: ReadonlyMap<ProviderId, string>,
  at: Date,
): Promise<void> {
  for (const [provider, reason] of reasons) await failProvider(db, provider, reason, at)
}

async function failProvider(db: Db, provider: ProviderId, reason: string, at: Date): Promise<void> {
  await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      await tx
        .updateTable('sources')
        .set({ status: 'error', error_message: reason, next_poll_at: at, updated_at: at })
        .where('provider', '=', provider)
        .where('push_only', '=', false)
        .where('status', '<>', 'disabled')
        .where((where) =>
          where.or([where('status', '<>', 'error'), where('error_message', 'is distinct from', reason)]),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('sync_runs as r')
                .select('r.id')
                .whereRef('r.organization_id', '=', 'sources.organization_id')
                .whereRef('r.source_id', '=', 'sources.id')
                .where('r.lease_expires_at', '>', sql<Date>`statement_timestamp()`),
            ),
          ),
        )
        .execute()
      await tx
        .updateTable('sync_runs as r')
        .from('sources as s')
        .set({
          status: 'failed',
          finished_at: at,
          error_message: reason,
          lease_id: null,
          lease_expires_at: null,
        })
        .whereRef('s.organization_id', '=', 'r.organization_id')
        .whereRef('s.id', '=', 'r.source_id')
        .where('s.provider', '=', provider)
        .where('s.push_only', '=', false)
        .where('r.status', 'in', ['queued', 'running'])
        .where(isLeaseFree('r.lease_expires_at'))
        .execute()
    }),
  )
}
