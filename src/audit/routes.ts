import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { defineRoute, reply } from '../http/route.ts'
import type { Clock } from '../kernel/clock.ts'
import { givenId, nextCursor, pageCursor, text, Timestamp } from '../kernel/schemas.ts'
import { AUDIT_ACTIONS } from './actions.ts'
import { EXPORT_FORMATS, exportEvents, type ExportFormat } from './export-events.ts'
import { pageGroups } from './group-events.ts'
import { pageEvents } from './list-events.ts'
import { AuditEvent, EventGroup } from './schemas.ts'

export interface AuditServices {
  db: Db
  clock: Clock
}

const AuditQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(100).describe('Maximum number of events.'),
})

const AuditResponse = z.object({
  auditEvents: z.array(AuditEvent).describe('Events, newest first.'),
})

const filters = {
  action: z
    .enum(AUDIT_ACTIONS)
    .optional()
    .meta({ description: 'Only events of this action.', example: 'api_key.create' }),
  actor: givenId.optional().describe('Only events of this person or key, by ID.'),
  target: z
    .string()
    .min(1)
    .max(2_048)
    .optional()
    .describe('Only events about the object with this ID, or about deleted items with this external ID.'),
  from: Timestamp.optional().describe('Only events at or after this time.'),
  to: Timestamp.optional().describe('Only events before this time.'),
}

const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
}

const shared = { tag: 'Audit', method: 'GET' } as const

const asAdmin = { surface: 'console', role: 'admin', action: 'admin' } as const

export const auditRoutes = [
  defineRoute<AuditServices>()({
    ...shared,
    operationId: 'listAuditEvents',
    path: '/v1/audit-events',
    summary: 'List audit events, newest first',
    description:
      'A key with a provider scope gets only events that name no item, source or query result of another provider.',
    access: { surface: 'agent', action: 'admin' },
    audit: 'none',
    query: AuditQuery,
    responses: { 200: AuditResponse },
    async handle({ caller, query: { limit } }, { db }) {
      const { auditEvents } = await pageEvents(db, caller, { limit })
      return reply(200, { auditEvents })
    },
  }),
  defineRoute<AuditServices>()({
    ...shared,
    tag: 'Audit (console)',
    operationId: 'consoleListAuditEvents',
    path: '/v1/console/audit-events',
    summary: 'List audit events by action, actor or target, newest first',
    description: 'Repeat with `nextCursor` until it is absent. Events match all filters.',
    access: asAdmin,
    audit: 'none',
    query: AuditQuery.extend({
      ...filters,
      cursor: pageCursor,
    }),
    responses: {
      200: AuditResponse.extend({
        nextCursor: z.string().optional().describe('Cursor of the next page; absent on the last page.'),
      }),
    },
    handle: async ({ caller, query }, { db }) => reply(200, await pageEvents(db, caller, query)),
  }),
  defineRoute<AuditServices>()({
    ...shared,
    tag: 'Audit (console)',
    operationId: 'consoleListAuditGroups',
    path: '/v1/console/audit-events/groups',
    summary: 'List groups of audit events, newest first',
    description:
      "A burst of one action by one person or key is one group. To list a group's events, filter by its action, actor and times.",
    access: asAdmin,
    audit: 'none',
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(100).default(50).describe('Maximum number of groups.'),
      ...filters,
      cursor: pageCursor,
    }),
    responses: {
      200: z.object({
        groups: z.array(EventGroup).describe('Groups, newest first.'),
        nextCursor,
      }),
    },
    handle: async ({ caller, query }, { db }) => reply(200, await pageGroups(db, caller, query)),
  }),
  defineRoute<AuditServices>()({
    ...shared,
    tag: 'Audit (console)',
    operationId: 'consoleExportAuditEvents',
    path: '/v1/console/audit-events/export',
    summary: 'Export the audit trail',
    description:
      'All events that match the filters, newest first, as CSV (RFC 4180, with `metadata` as JSON) or as one JSON object per line. The export itself is recorded.',
    access: asAdmin,
    audit: 'audit.export',
    query: z.strictObject({
      format: z.enum(EXPORT_FORMATS).meta({ description: 'The format of the export.', example: 'csv' }),
      ...filters,
    }),
    downloads: EXPORT_FORMATS.map((format) => CONTENT_TYPES[format].split(';', 1)[0] ?? ''),
    responses: { 200: text('One event per line.', '"createdAt","id","action",…') },
    handle: async ({ caller, query, viewAgain }, { db, clock }) => ({
      download: {
        text: await exportEvents(db, clock, caller, query, viewAgain),
        contentType: CONTENT_TYPES[query.format],
        filename: `audit-events.${query.format}`,
      },
    }),
  }),
]
