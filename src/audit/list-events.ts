import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Caller } from '../kernel/principal.ts'

export interface AuditEventView {
  id: string
  organizationId: string
  actorUserId: string | null
  actorApiKeyId: string | null
  action: string
  targetType: string
  targetId: string
  metadata: Record<string, unknown>
  createdAt: string
}

/** The newest `limit` events of the caller's organization that name no provider out of its scope, newest first. */
export async function listEvents(db: Db, caller: Caller, limit: number): Promise<AuditEventView[]> {
  const events = db
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', caller.organizationId)
  const scope = caller.allowedProviders
  const visible =
    scope === null ? events : events.where(sql<boolean>`providers <@ array[${sql.join(scope)}]::text[]`)
  const rows = await visible.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map((row) => ({
    id: row.id,
    organizationId: row.organization_id,
    actorUserId: row.actor_user_id,
    actorApiKeyId: row.actor_api_key_id,
    action: row.action,
    targetType: row.target_type,
    targetId: row.target_id,
    metadata: row.metadata,
    createdAt: row.created_at.toISOString(),
  }))
}
