import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import type { LeasedRun } from './run-lease.ts'

/** The outcomes of a page's items. Except in `failed`, each item counts once. */
export interface PageCounts {
  ingested: number
  unchanged: number
  deleted: number
  /** Left out or failed, and neither stored nor deleted by this page. */
  skipped: number
  /** Failed items, including those that are stored in part. */
  failed: number
}

export const NOTHING_COUNTED: PageCounts = { ingested: 0, unchanged: 0, deleted: 0, skipped: 0, failed: 0 }

export function sumCounts(left: PageCounts, right: PageCounts): PageCounts {
  return {
    ingested: left.ingested + right.ingested,
    unchanged: left.unchanged + right.unchanged,
    deleted: left.deleted + right.deleted,
    skipped: left.skipped + right.skipped,
    failed: left.failed + right.failed,
  }
}

/** Adds to the counts of a run. `isPage`: a page is stored, so the run makes progress. */
export async function addCounts(
  tx: Tx,
  run: LeasedRun,
  counts: Partial<PageCounts & { discovered: number }>,
  { isPage = false } = {},
): Promise<void> {
  const { discovered = 0, ingested = 0, unchanged = 0, deleted = 0, skipped = 0, failed = 0 } = counts
  await tx
    .updateTable('sync_runs')
    .set({
      items_discovered: sql<number>`items_discovered + ${discovered}`,
      items_ingested: sql<number>`items_ingested + ${ingested}`,
      items_unchanged: sql<number>`items_unchanged + ${unchanged}`,
      items_deleted: sql<number>`items_deleted + ${deleted}`,
      items_skipped: sql<number>`items_skipped + ${skipped}`,
      items_failed: sql<number>`items_failed + ${failed}`,
      ...(isPage && { takes: 0, waiting_since: null }),
    })
    .where('organization_id', '=', run.organizationId)
    .where('id', '=', run.runId)
    .execute()
}
