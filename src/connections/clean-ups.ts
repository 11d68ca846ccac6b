import { sql } from 'kysely'
import { z } from 'zod'
import { recordEvent, cleanUpAction } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { deleteItems } from '../items/index.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AgentCaller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { CleanUpJob } from '../providers/index.ts'
import { changeItems, type ItemChanges } from '../item-changes/index.ts'
import type { CleanUpReport } from './schemas.ts'

export interface CleanUps {
  /** Deletes what an older version or another tool stored as content. */
  run(caller: AgentCaller, job: ProviderJob, dryRun: boolean): Promise<CleanUpReport>
}

export interface ProviderJob {
  provider: ProviderId
  job: CleanUpJob
}

/** The longest short body, in characters. */
const SHORT_BODY = 200

const Found = z.array(z.object({ scanned: z.int(), ids: z.array(z.string()) }))

export function createCleanUps(deps: { db: Db; clock: Clock }): CleanUps {
  return {
    run: (caller, job, dryRun) =>
      changeItems(deps.db, caller.organizationId, (tx, changes) =>
        cleanUp(tx, changes, caller, job, { dryRun, at: deps.clock.now() }),
      ),
  }
}

async function cleanUp(
  tx: Tx,
  changes: ItemChanges,
  caller: AgentCaller,
  { provider, job }: ProviderJob,
  { dryRun, at }: { dryRun: boolean; at: Date },
): Promise<CleanUpReport> {
  const { organizationId } = caller
  const { scanned, ids } = await find(tx, organizationId, provider, job)
  if (!dryRun && ids.length > 0) await deleteItems(tx, changes, organizationId, ids)
  const report = { scanned, deleted: ids.length, dryRun }
  await recordEvent(tx, caller, {
    action: cleanUpAction(provider, job.name),
    target: ['maintenance_job', cleanUpAction(provider, job.name).replace('maintenance.', '')],
    metadata: report,
    providers: [provider],
    at,
  })
  return report
}

async function find(
  tx: Tx,
  organizationId: string,
  provider: ProviderId,
  { sourceKind, subtypes, shortBody }: CleanUpJob,
): Promise<{ scanned: number; ids: string[] }> {
  const { rows } = await sql`
    select count(*)::int as scanned,
      coalesce(json_agg(id) filter (where
        metadata ->> 'subtype' in (${sql.join([...subtypes])})
        or (length(body) < ${SHORT_BODY} and body ~ ${shortBody})), '[]'::json) as ids
    from source_items
    where organization_id = ${organizationId} and provider = ${provider} and source_kind = ${sourceKind}`.execute(
    tx,
  )
  const [found] = Found.parse(rows)
  return found ?? { scanned: 0, ids: [] }
}
