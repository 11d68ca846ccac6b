import { randomUUID } from 'node:crypto'
import type { Tx } from '../database/database.ts'
import type { Actor } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { storableJson } from '../kernel/text.ts'
import type { AuditAction } from './actions.ts'

export interface NewAuditEvent {
  organizationId: string
  actor: Actor
  action: AuditAction
  targetType: string
  targetId: string
  /** Metadata only: no secret, no content of items, no answers. */
  metadata: Record<string, unknown>
  /** Whose items, sources or query results it names: a key that may not see them all does not see the event. */
  providers: readonly ProviderId[]
  at: Date
}

/** Writes one event into the trail, in the transaction of the act that it records, and returns its id. */
export async function recordEvent(tx: Tx, event: NewAuditEvent): Promise<string> {
  const id = randomUUID()
  await tx
    .insertInto('audit_events')
    .values({
      organization_id: event.organizationId,
      id,
      actor_user_id: event.actor.userId,
      actor_api_key_id: event.actor.apiKeyId,
      action: event.action,
      target_type: event.targetType,
      target_id: event.targetId,
      metadata: JSON.stringify(storableJson(event.metadata)),
      providers: [...event.providers],
      created_at: event.at,
    })
    .execute()
  return id
}
