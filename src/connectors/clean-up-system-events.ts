import { sql } from 'kysely'
import { z } from 'zod'
import { recordEvent } from '../audit/index.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import type { Db, Tx } from '../database/database.ts'
import { deleteItems } from '../items/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { actorOf, type AgentPrincipal } from '../kernel/principal.ts'
import { SLACK_SYSTEM_SUBTYPES } from '../sources/index.ts'

export interface CleanUpReport {
  /** Slack messages that were looked at. */
  scanned: number
  /** Those that are no content: removed, or with `dryRun` what would be. */
  deleted: number
  dryRun: boolean
}

export interface CleanUpSystemEvents {
  /** Removes Slack's system messages (somebody joined, a topic was set) that were stored as if they were content. */
  run(caller: AgentPrincipal, dryRun: boolean): Promise<CleanUpReport>
}

const Found = z.array(z.object({ scanned: z.int(), ids: z.array(z.string()) }))

/** What Slack writes into a channel when somebody comes or goes, for messages stored without their subtype. */
const JOINED_OR_LEFT = '^<?@[^\\n>]{1,80}>? has (joined|left) the (channel|group)\\.?$'

/** The cleanup job for what older versions, or other tools, have stored. */
export function createCleanUpSystemEvents(deps: { db: Db; clock: Clock }): CleanUpSystemEvents {
  return {
    run: (caller, dryRun) =>
      retryConflicts(() =>
        deps.db.transaction().execute((tx) => cleanUp(tx, caller, dryRun, deps.clock.now())),
      ),
  }
}

async function cleanUp(tx: Tx, caller: AgentPrincipal, dryRun: boolean, at: Date): Promise<CleanUpReport> {
  const { organizationId } = caller
  const { scanned, ids } = await find(tx, organizationId)
  if (!dryRun && ids.length > 0) await deleteItems(tx, { organizationId, ids })
  const report = { scanned, deleted: ids.length, dryRun }
  await recordEvent(tx, {
    organizationId,
    actor: actorOf(caller),
    action: 'maintenance.slack.cleanup_system_events',
    targetType: 'maintenance_job',
    targetId: 'slack.cleanup_system_events',
    metadata: report,
    providers: ['slack'],
    at,
  })
  return report
}

async function find(tx: Tx, organizationId: string): Promise<{ scanned: number; ids: string[] }> {
  const { rows } = await sql`
    select count(*)::int as scanned,
      coalesce(json_agg(id) filter (where
        metadata ->> 'subtype' in (${sql.join([...SLACK_SYSTEM_SUBTYPES])})
        or (length(body) < 200 and body ~ ${JOINED_OR_LEFT})), '[]'::json) as ids
    from source_items
    where organization_id = ${organizationId} and provider = 'slack' and source_kind = 'message'`.execute(tx)
  const [found] = Found.parse(rows)
  return found ?? { scanned: 0, ids: [] }
}
