import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { defineRoute, reply } from '../http/route.ts'
import { givenId, nextCursor, pageCursor, Timestamp } from '../kernel/schemas.ts'
import { listRequests } from './list-requests.ts'
import type { RequestLog } from './request-log.ts'
import { LoggedRequest } from './schemas.ts'
import { REQUESTS_KEPT_DAYS, REQUESTS_KEPT_MAX } from '../kernel/retention.ts'

export interface RequestLogServices {
  db: Db
  requestLog: Pick<RequestLog, 'flush'>
}

export const requestLogRoutes = [
  defineRoute<RequestLogServices>()({
    operationId: 'consoleListRequests',
    method: 'GET',
    path: '/v1/console/request-log',
    summary: 'List requests of API keys, newest first',
    description:
      `The last ${REQUESTS_KEPT_MAX.toLocaleString('en')} requests, at most ${REQUESTS_KEPT_DAYS} days old. Requests to other ` +
      'instances appear within about five seconds. Bodies, query strings and responses are not logged.',
    tag: 'API keys (console)',
    access: { surface: 'console', role: 'admin', action: 'admin' },
    audit: 'none',
    query: z.strictObject({
      apiKeyId: givenId.optional().describe('Only requests of this key.'),
      status: z
        .string()
        .regex(/^[2-5](?:xx|\d\d)$/, 'must be a status such as 404, or a class such as 4xx')
        .optional()
        .describe('Only requests with this status, or with a status of this class.'),
      path: z.string().max(200).optional().describe('Only paths with this prefix.'),
      from: Timestamp.optional().describe('Only requests answered at or after this time.'),
      to: Timestamp.optional().describe('Only requests answered before this time.'),
      cursor: pageCursor,
      limit: z.coerce.number().int().min(1).max(500).default(100).describe('Maximum number of requests.'),
    }),
    responses: {
      200: z.object({
        requests: z.array(LoggedRequest).describe('The requests.'),
        nextCursor,
      }),
    },
    handle: async ({ caller: { organizationId }, query }, { db, requestLog }) => {
      await requestLog.flush()
      return reply(200, await listRequests(db, organizationId, query))
    },
  }),
]
