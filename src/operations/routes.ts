import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { unavailable } from '../kernel/unavailable.ts'

export interface OperationServices {
  /** Why the service cannot serve now; null when it can. */
  unreadiness(): Promise<string | null>
  /** The OpenAPI 3.1 document of this deployment. */
  openApiDocument(): Record<string, unknown>
}

const RETRY_AFTER_SECONDS = 5

const shared = {
  method: 'GET',
  tag: 'Operations',
  access: { surface: 'public' },
  credits: 0,
  audit: 'none',
} as const

export const operationRoutes = [
  defineRoute<OperationServices>()({
    ...shared,
    operationId: 'health',
    path: '/healthz',
    summary: 'Answers while the process lives',
    responses: { 200: z.object({ status: z.literal('ok').describe('The process lives.') }) },
    handle: async () => reply(200, { status: 'ok' as const }),
  }),
  defineRoute<OperationServices>()({
    ...shared,
    operationId: 'readiness',
    path: '/readyz',
    summary: 'Answers 200 once the service can serve, 503 otherwise',
    refuses: ['not_ready'],
    responses: { 200: z.object({ status: z.literal('ready').describe('It can serve.') }) },
    handle: async (_request, { unreadiness }) => {
      const reason = await unreadiness()
      if (reason !== null) throw unavailable('not_ready', reason, RETRY_AFTER_SECONDS)
      return reply(200, { status: 'ready' as const })
    },
  }),
  defineRoute<OperationServices>()({
    ...shared,
    operationId: 'openApi',
    path: '/openapi.json',
    summary: 'The OpenAPI document',
    responses: {
      200: z
        .record(z.string(), z.unknown())
        .meta({ description: 'An OpenAPI 3.1 document.', example: { openapi: '3.1.1' } }),
    },
    handle: async (_request, { openApiDocument }) => reply(200, openApiDocument()),
  }),
]
