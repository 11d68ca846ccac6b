import type { Tx } from '../database/database.ts'
import type { ItemFailure } from '../providers/index.ts'
import type { TakenRun } from './run-lease.ts'
import { storedFailure } from './stored-failure.ts'

const KEPT_MAX = 100

/**
 * Records the first hundred failed items of a run, and the first hundred that hold nothing to read. An adapter may
 * retry an item in the same run, and a mail fails once per attachment: each item counts once.
 * @returns how many failed, and the ids of both
 */
export async function keepFailures(
  tx: Tx,
  run: TakenRun,
  { failures, skipped = [] }: { failures: readonly ItemFailure[]; skipped?: readonly ItemFailure[] },
  at: Date,
): Promise<{ failed: number; skipped: string[] }> {
  const failed = await keep(tx, run, { items: failures, isSkip: false }, at)
  const left = await keep(tx, run, { items: skipped, isSkip: true }, at)
  return { failed: failed.length, skipped: [...new Set([...failed, ...left])] }
}

/** @returns the ids that the run had not recorded */
async function keep(
  tx: Tx,
  run: TakenRun,
  { items, isSkip }: { items: readonly ItemFailure[]; isSkip: boolean },
  at: Date,
): Promise<string[]> {
  if (items.length === 0) return []
  const byId = new Map(
    items.map((item) => {
      const failure = {
        organization_id: run.organizationId,
        run_id: run.runId,
        ...storedFailure(item, isSkip),
        created_at: at,
      }
      return [failure.external_id, failure]
    }),
  )
  const kept = await tx
    .selectFrom('sync_run_failures')
    .select(['external_id', 'is_skip'])
    .where('organization_id', '=', run.organizationId)
    .where('run_id', '=', run.runId)
    .execute()
  const room = KEPT_MAX - kept.filter(({ is_skip: wasSkip }) => wasSkip === isSkip).length
  for (const { external_id } of kept) byId.delete(external_id)
  const rows = [...byId.values()].slice(0, Math.max(0, room))
  if (rows.length > 0) await tx.insertInto('sync_run_failures').values(rows).execute()
  return [...byId.keys()]
}
