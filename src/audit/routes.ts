import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { reply } from '../http/route.ts'
import { twins } from '../http/twins.ts'
import { EXAMPLE_ID, moment, shownId, text } from '../kernel/schemas.ts'
import { listEvents } from './list-events.ts'

export interface AuditServices {
  db: Db
}

const AuditEvent = z
  .object({
    id: shownId("The event's id.", EXAMPLE_ID.auditEvent),
    organizationId: shownId('The workspace that it happened in.', EXAMPLE_ID.organization),
    actorUserId: z
      .uuid()
      .nullable()
      .meta({ description: 'The person who did it; null where a key did.', example: null }),
    actorApiKeyId: z
      .uuid()
      .nullable()
      .meta({ description: 'The key that did it; null where a person did.', example: EXAMPLE_ID.apiKey }),
    action: text('What was done.', 'context.retrieve'),
    targetType: text('What kind of thing it was done to.', 'context_contract'),
    targetId: text("That thing's id.", EXAMPLE_ID.request),
    metadata: z.record(z.string(), z.unknown()).meta({
      description: 'What else there is to know, by the action; never content.',
      example: {
        requestId: EXAMPLE_ID.request,
        query: 'How many vacation days do I get?',
        hitCount: 1,
        citationCount: 1,
        exclusionCount: 0,
        providers: ['notion'],
      },
    }),
    createdAt: moment('When it was done.'),
  })
  .meta({ id: 'AuditEvent', description: 'Something that a person or a key did.' })

const AuditQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(100).describe('How many events at most.'),
})
const AuditResponse = z.object({
  auditEvents: z.array(AuditEvent).describe('The newest events, the newest first.'),
})

export const auditRoutes = twins<AuditServices>()({
  operationId: 'listAuditEvents',
  method: 'GET',
  path: '/audit-events',
  tag: 'Audit',
  summary: 'List audit events, newest first',
  description:
    'A key with a provider scope sees those that name no item, source or query result of another provider.',
  action: 'admin',
  consoleRole: 'admin',
  credits: 0,
  audit: 'none',
  query: AuditQuery,
  responses: { 200: AuditResponse },
  handle: async ({ principal, query }, { db }) =>
    reply(200, { auditEvents: await listEvents(db, principal, query.limit) }),
})
