import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { reply } from '../http/route.ts'
import { twins } from '../http/twins.ts'
import { listEvents } from './list-events.ts'

export interface AuditServices {
  db: Db
}

const AuditEvent = z
  .object({
    id: z.uuid(),
    organizationId: z.uuid(),
    actorUserId: z.uuid().nullable(),
    actorApiKeyId: z.uuid().nullable(),
    action: z.string(),
    targetType: z.string(),
    targetId: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'AuditEvent' })

const AuditQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(500).default(100) })
const AuditResponse = z.object({ auditEvents: z.array(AuditEvent) })

export const auditRoutes = twins<AuditServices>()({
  operationId: 'listAuditEvents',
  method: 'GET',
  path: '/audit-events',
  tag: 'Audit',
  summary: 'List audit events, newest first',
  action: 'admin',
  consoleRole: 'admin',
  credits: 0,
  audit: 'none',
  query: AuditQuery,
  responses: { 200: AuditResponse },
  handle: async ({ principal, query }, { db }) =>
    reply(200, { auditEvents: await listEvents(db, principal.organizationId, query.limit) }),
})
