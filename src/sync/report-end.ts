import type { Tx } from '../database/database.ts'
import type { EndedSyncRunStatus } from '../database/schema-words.ts'
import type { Row } from '../database/schema.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { emitEvent } from '../outgoing-webhooks/index.ts'

export const ENDED_RUN_COLUMNS = [
  'organization_id',
  'id',
  'source_id',
  'full_resync',
  'items_discovered',
  'items_ingested',
  'items_deleted',
  'items_failed',
  'items_skipped',
  'started_at',
] as const

/** Emits the webhook event of an ended run, in the transaction that ends it. */
export async function reportEnd(
  tx: Tx,
  run: Pick<Row<'sync_runs'>, (typeof ENDED_RUN_COLUMNS)[number]>,
  { provider, status, at }: { provider: ProviderId; status: EndedSyncRunStatus; at: Date },
): Promise<void> {
  const data = {
    syncRunId: run.id,
    sourceId: run.source_id,
    provider,
    status,
    fullResync: run.full_resync,
    itemsDiscovered: run.items_discovered,
    itemsIngested: run.items_ingested,
    itemsDeleted: run.items_deleted,
    startedAt: run.started_at?.toISOString() ?? null,
    finishedAt: at.toISOString(),
  }
  await emitEvent(tx, run.organization_id, { type: 'sync_run.finished', at, data })
}
