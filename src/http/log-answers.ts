import type { FastifyInstance } from 'fastify'
import type { Principal } from './pipeline.ts'

export interface Answered {
  requestId: string
  method: string
  /** The route's address, with parameter names. */
  route: string
  status: number
  seconds: number
  /** The credits that it was charged. */
  credits: number
  /** A tool of `/mcp` made the request. */
  isMcp: boolean
  principal: Principal
}

export type OnAnswered = (answered: Answered) => void

/** One log line and one metric for each answered request. */
export function logAnswers(app: FastifyInstance, onAnswered: readonly OnAnswered[] = []): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const seconds = reply.elapsedTime / 1000
    const { id: requestId, method, principal, credits, isMcp } = request
    const { statusCode: status } = reply
    for (const observe of onAnswered)
      observe({ requestId, method, route, status, seconds, credits, isMcp, principal })
    request.log.info({ ...who(principal), method, route, status, seconds }, 'answered')
  })
}

function who(principal: Principal): {
  organizationId?: string
  apiKeyId?: string
  userId?: string
  scimTokenId?: string
} {
  if (principal === null) return {}
  switch (principal.kind) {
    case 'agent':
      return { organizationId: principal.organizationId, apiKeyId: principal.apiKeyId }
    case 'console':
      return { organizationId: principal.organizationId, userId: principal.userId }
    case 'scim':
      return { organizationId: principal.organizationId, scimTokenId: principal.tokenId }
    case 'user':
      return { userId: principal.userId }
  }
}
