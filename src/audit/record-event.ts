import { randomUUID } from 'node:crypto'
import type { Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { Actor } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { AuditAction } from './actions.ts'

export interface NewAuditEvent {
  organizationId: string
  actor: Actor
  action: AuditAction
  targetType: string
  targetId: string
  /** Metadata only: no secrets, no content of items, no answers. */
  metadata: Record<string, unknown>
  /** Providers that it concerns. A key that may not see all of them does not see the event. */
  providers: readonly ProviderId[]
  at: Date
}

const insertEvent = prepare(`
  insert into audit_events (organization_id, id, actor_user_id, actor_api_key_id, action, target_type, target_id, metadata,
    providers, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`)

/** Writes an audit event in the transaction of the act that it records, and returns its id. */
export async function recordEvent(tx: Tx, event: NewAuditEvent): Promise<string> {
  const id = randomUUID()
  await insertEvent(tx, [
    event.organizationId,
    id,
    event.actor.userId,
    event.actor.apiKeyId,
    event.action,
    event.targetType,
    event.targetId,
    JSON.stringify(event.metadata),
    event.providers,
    event.at,
  ])
  return id
}
