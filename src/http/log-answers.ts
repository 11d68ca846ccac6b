import type { FastifyInstance } from 'fastify'
import type { Principal } from './pipeline.ts'

export type OnAnswered = (answered: {
  method: string
  route: string
  status: number
  seconds: number
}) => void

/** One log line and one metric for each answered request. */
export function logAnswers(app: FastifyInstance, onAnswered: OnAnswered | undefined): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const seconds = reply.elapsedTime / 1000
    onAnswered?.({ method: request.method, route, status: reply.statusCode, seconds })
    request.log.info(
      { ...who(request.principal), method: request.method, route, status: reply.statusCode, seconds },
      'answered',
    )
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
