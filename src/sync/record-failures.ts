import type { Tx } from '../database/database.ts'
import type { ItemFailure } from '../providers/index.ts'
import type { LeasedRun } from './run-lease.ts'
import { storedFailure } from './stored-failure.ts'

const KEPT_MAX = 100

/** Records up to a hundred failed items of a run and a hundred empty ones, each once. @returns counts and ids */
export async function recordFailures(
  tx: Tx,
  run: LeasedRun,
  { failures, skipped = [] }: { failures: readonly ItemFailure[]; skipped?: readonly ItemFailure[] },
  at: Date,
): Promise<{ failed: number; skipped: string[] }> {
  if (failures.length === 0 && skipped.length === 0) return { failed: 0, skipped: [] }
  const kept = await tx
    .selectFrom('sync_run_failures')
    .select(['external_id', 'is_skip'])
    .where('organization_id', '=', run.organizationId)
    .where('run_id', '=', run.runId)
    .execute()
  const known = new Set(kept.map(({ external_id }) => external_id))
  const failed = newOnes(failures, false, known)
  const failedRows = failed.slice(0, roomFor(kept, false))
  const left = newOnes(
    skipped,
    true,
    new Set([...known, ...failedRows.map(({ external_id }) => external_id)]),
  )
  const rows = [...failedRows, ...left.slice(0, roomFor(kept, true))].map((row) =>
    Object.assign(row, { organization_id: run.organizationId, run_id: run.runId, created_at: at }),
  )
  if (rows.length > 0) await tx.insertInto('sync_run_failures').values(rows).execute()
  const ids = [...failed, ...left].map(({ external_id }) => external_id)
  return { failed: failed.length, skipped: [...new Set(ids)] }
}

/** The items that the run has not recorded, each once. */
function newOnes(items: readonly ItemFailure[], isSkip: boolean, known: ReadonlySet<string>) {
  const byId = new Map(
    items.map((item) => storedFailure(item, isSkip)).map((failure) => [failure.external_id, failure]),
  )
  return [...byId.values()].filter(({ external_id }) => !known.has(external_id))
}

function roomFor(kept: readonly { is_skip: boolean }[], isSkip: boolean): number {
  return Math.max(0, KEPT_MAX - kept.filter(({ is_skip }) => is_skip === isSkip).length)
}
