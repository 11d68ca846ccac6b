import { randomUUID } from 'node:crypto'
import type { CreditUse, Retrieved } from '../http/gates.ts'
import type { ChargedAction } from '../kernel/actions.ts'
import { actorOf } from '../kernel/caller.ts'
import { storableJson } from '../kernel/text.ts'
import type { AuditAction } from './actions.ts'

export interface ChargedAnswer {
  use: CreditUse
  retrieved: Retrieved
  at: Date
}

const TARGET_TYPES: Record<ChargedAction, string> = {
  search: 'search',
  context: 'context_contract',
  ask: 'answer',
}

/**
 * The body of a data-modifying CTE that records the answers that a statement charges. The credit and its audit event
 * are written together, without another round trip. What the answers share travels once: embedded, the columns of each
 * event are most of its cost.
 * @param charged the CTE with the organization that was charged: at most one row
 * @param first the number of the first parameter that {@link retrievalValues} returns
 */
export function recordRetrievals(charged: string, first: number): string {
  const [user, key, action, type, at, events] = Array.from({ length: 6 }, (_, n) => `$${first + n}`)
  return `
    insert into audit_events (organization_id, id, actor_user_id, actor_api_key_id, action, target_type, target_id, metadata,
      providers, created_at)
    select c.organization_id, e.id, ${user}::uuid, ${key}::uuid, ${action}::text, ${type}::text, e.target_id, e.metadata,
      e.providers, ${at}::timestamptz
    from ${charged} c
    cross join jsonb_to_recordset(${events}::jsonb) as e (id uuid, target_id text, metadata jsonb, providers text[])`
}

/** The parameters of {@link recordRetrievals} for answers of one caller and surface that are charged at `at`. */
export function retrievalValues(
  { caller, surface }: Pick<CreditUse, 'caller' | 'surface'>,
  answers: readonly Retrieved[],
  at: Date,
): readonly unknown[] {
  const { userId, apiKeyId } = actorOf(caller)
  const action: AuditAction = `${surface}.retrieve`
  const events = answers.map((retrieved) => ({
    id: randomUUID(),
    target_id: retrieved.requestId,
    metadata: storableJson(retrieved),
    providers: retrieved.providers,
  }))
  return [userId, apiKeyId, action, TARGET_TYPES[surface], at, JSON.stringify(events)]
}
