import type { Db } from '../database/database.ts'

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

/** The newest `limit` events of an organization, newest first. */
export async function listEvents(db: Db, organizationId: string, limit: number): Promise<AuditEventView[]> {
  const rows = await db
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
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
