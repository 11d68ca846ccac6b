import type { FastifyInstance } from 'fastify'
import type { RequestCaller } from './pipeline.ts'

export interface SentResponse {
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
  caller: RequestCaller
}

export type OnSent = (response: SentResponse) => void

/** One log line for each response, and what else observes them. */
export function logResponses(app: FastifyInstance, onSent: readonly OnSent[] = []): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const seconds = reply.elapsedTime / 1000
    const { id: requestId, method, caller, credits, isMcp } = request
    const { statusCode: status } = reply
    for (const observe of onSent)
      observe({ requestId, method, route, status, seconds, credits, isMcp, caller })
    request.log.info({ ...who(caller), method, route, status, seconds }, 'answered')
  })
}

function who(caller: RequestCaller): {
  organizationId?: string
  apiKeyId?: string
  userId?: string
  scimTokenId?: string
} {
  if (caller === null) return {}
  switch (caller.kind) {
    case 'agent':
      return { organizationId: caller.organizationId, apiKeyId: caller.apiKeyId }
    case 'console':
      return { organizationId: caller.organizationId, userId: caller.userId }
    case 'scim':
      return { organizationId: caller.organizationId, scimTokenId: caller.tokenId }
    case 'user':
      return { userId: caller.userId }
  }
}
