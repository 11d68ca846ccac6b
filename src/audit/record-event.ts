import { randomUUID } from 'node:crypto'
import type { Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { AuditAction } from './actions.ts'

/** A caller, or a user who acts in an organization. */
export type Author = { organizationId: string } & ({ userId: string } | { apiKeyId: string })

export interface NewAuditEvent {
  action: AuditAction
  target: readonly [type: string, id: string]
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
export async function recordEvent(tx: Tx, by: Author, event: NewAuditEvent): Promise<string> {
  const id = randomUUID()
  await insertEvent(tx, [
    by.organizationId,
    id,
    'userId' in by ? by.userId : null,
    'apiKeyId' in by ? by.apiKeyId : null,
    event.action,
    ...event.target,
    JSON.stringify(event.metadata),
    event.providers,
    event.at,
  ])
  return id
}
