import { beyondPlanError } from '../billing/index.ts'
import type { Tx } from '../database/database.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { requireSource } from '../sources/index.ts'

/** Locks a source that can be synced, so that its active run cannot end before the answer. @throws AppError */
export async function requireRunnable(tx: Tx, caller: Caller, sourceId: string): Promise<ProviderId> {
  const source = await requireSource(tx, caller, sourceId, 'locked')
  if (source.push_only) {
    throw new AppError(
      'source_push_only',
      'This source has no provider account to sync with; push documents to /v1/ingest',
    )
  }
  if (source.status === 'disabled') {
    throw new AppError('source_disabled', 'This source is paused; resume it in the console first')
  }
  if (source.beyond_plan) throw await beyondPlanError(tx, caller.organizationId, 'connectors')
  return source.provider
}
