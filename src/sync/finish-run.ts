import type { Tx } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { storableText } from '../kernel/text.ts'
import { computePolicyHealth } from '../sources/index.ts'
import type { TakenRun } from './run-lease.ts'
import { countPolicies } from './synced-items.ts'

/** A person paused the source while its run went on. */
export class SourcePaused extends Error {
  constructor() {
    super('The source was paused')
    this.name = 'SourcePaused'
  }
}

/**
 * How a run ended. `snapshot`: the full crawl it finished, if any. `pollNotBefore`: the provider asks for patience.
 * `needsReconnection`: the account's grant has ended.
 */
export type RunEnd =
  | { succeeded: true; snapshot: string | null }
  | { succeeded: false; message: string; pollNotBefore: Date | null; needsReconnection: boolean }

const MESSAGE_CHARACTERS = 2_000

/** Ends a run whose lease the transaction holds, and moves its source as decided; a paused source stays paused. */
export async function finishRun(
  tx: Tx,
  run: TakenRun,
  end: RunEnd,
  deps: { clock: Clock; intervalMs: number; random: () => number },
): Promise<void> {
  const now = deps.clock.now()
  const { organizationId, source } = run
  const message = end.succeeded ? null : storableText(end.message.slice(0, MESSAGE_CHARACTERS))
  const counts = await tx
    .updateTable('sync_runs')
    .set({
      status: end.succeeded ? 'succeeded' : 'failed',
      finished_at: now,
      error_message: message,
      needs_reconnection: !end.succeeded && end.needsReconnection,
      lease_id: null,
      lease_expires_at: null,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', run.runId)
    .returning(['items_ingested', 'items_deleted'])
    .executeTakeFirstOrThrow()
  if (source.provider === 'google_drive' && mayChangePolicyHealth(run, end, counts))
    await updatePolicyHealth(tx, run, end)
  const poll = nextPoll(now, deps)
  const wait = end.succeeded ? null : end.pollNotBefore
  await tx
    .updateTable('sources')
    .set({
      status: end.succeeded ? 'active' : 'error',
      error_message: message,
      next_poll_at: wait !== null && wait > poll ? wait : poll,
      updated_at: now,
      ...(end.succeeded ? { last_synced_at: now } : {}),
      ...(end.succeeded && end.snapshot !== null ? { last_snapshot: end.snapshot } : {}),
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', source.id)
    .where('status', '<>', 'disabled')
    .execute()
}

/** An interval from now, up to a twentieth earlier or later, so that sources drift apart. */
export function nextPoll(
  now: Date,
  { intervalMs, random }: { intervalMs: number; random: () => number },
): Date {
  return new Date(now.getTime() + intervalMs * (0.95 + 0.1 * random()))
}

/** Counting takes long where there are many files: only after a run, also a failed one, that has changed something. */
function mayChangePolicyHealth(
  { source }: TakenRun,
  end: RunEnd,
  counts: { items_ingested: number; items_deleted: number },
): boolean {
  if (counts.items_ingested + counts.items_deleted > 0) return true
  return end.succeeded && (end.snapshot !== null || source.policy_health === null)
}

async function updatePolicyHealth(tx: Tx, { source, organizationId }: TakenRun, end: RunEnd): Promise<void> {
  const key = { organization_id: organizationId, id: source.id, provider: source.provider }
  const snapshot = end.succeeded ? end.snapshot : null
  const counts = await countPolicies(tx, key, snapshot ?? source.last_snapshot)
  await tx
    .updateTable('sources')
    .set({ policy_health: JSON.stringify(computePolicyHealth(counts)) })
    .where('organization_id', '=', organizationId)
    .where('id', '=', source.id)
    .execute()
}
