import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { unavailable } from '../kernel/unavailable.ts'

export interface HealthServices {
  /** Why the service cannot serve now; null when it can. */
  unreadiness(): Promise<string | null>
}

const RETRY_AFTER_SECONDS = 5

const shared = {
  method: 'GET',
  tag: 'Operations',
  access: { surface: 'public' },
  audit: 'none',
} as const

export const healthRoutes = [
  defineRoute<HealthServices>()({
    ...shared,
    operationId: 'health',
    path: '/healthz',
    summary: 'Report that the process is running',
    responses: { 200: z.object({ status: z.literal('ok').describe('The process is running.') }) },
    handle: async () => reply(200, { status: 'ok' as const }),
  }),
  defineRoute<HealthServices>()({
    ...shared,
    operationId: 'readiness',
    path: '/readyz',
    summary: 'Report whether the service is ready',
    refuses: ['not_ready'],
    responses: { 200: z.object({ status: z.literal('ready').describe('The service is ready.') }) },
    handle: async (_request, { unreadiness }) => {
      const reason = await unreadiness()
      if (reason !== null) throw unavailable('not_ready', reason, RETRY_AFTER_SECONDS)
      return reply(200, { status: 'ready' as const })
    },
  }),
]
