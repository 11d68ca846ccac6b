import { randomUUID } from 'node:crypto'
import type { CreditUse, Retrieved } from '../http/gates.ts'
import type { ChargedAction } from '../kernel/actions.ts'
import { actorOf } from '../kernel/principal.ts'
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
 * are written together, without another round trip.
 * @param charged the CTE with the organization that was charged: at most one row
 * @param parameter the number of the parameter that {@link retrievalEvents} returns
 */
export function recordRetrievals(charged: string, parameter: number): string {
  return `
    insert into audit_events (organization_id, id, actor_user_id, actor_api_key_id, action, target_type, target_id, metadata,
      providers, created_at)
    select c.organization_id, e.id, e.actor_user_id, e.actor_api_key_id, e.action, e.target_type, e.target_id, e.metadata,
      e.providers, e.created_at
    from ${charged} c cross join jsonb_to_recordset($${parameter}::jsonb) as e (
      id uuid, actor_user_id uuid, actor_api_key_id uuid, action text, target_type text, target_id text, metadata jsonb,
      providers text[], created_at timestamptz
    )`
}

/** The events of charged answers, as a parameter for {@link recordRetrievals}. */
export function retrievalEvents(answers: readonly ChargedAnswer[]): string {
  return JSON.stringify(
    answers.map(({ use: { caller, surface }, retrieved, at }) => {
      const { userId, apiKeyId } = actorOf(caller)
      const action: AuditAction = `${surface}.retrieve`
      return {
        id: randomUUID(),
        actor_user_id: userId,
        actor_api_key_id: apiKeyId,
        action,
        target_type: TARGET_TYPES[surface],
        target_id: retrieved.requestId,
        metadata: storableJson(retrieved),
        providers: retrieved.providers,
        created_at: at.toISOString(),
      }
    }),
  )
}
