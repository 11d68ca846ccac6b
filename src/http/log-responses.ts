import type { FastifyInstance, FastifyRequest } from 'fastify'
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

/** The status of a request whose client left before the response, as proxies log it. */
const CLIENT_LEFT = 499

/** One log line for each request, and what else observes them. */
export function logResponses(app: FastifyInstance, onSent: readonly OnSent[] = []): void {
  const log = (request: FastifyRequest, status: number, seconds: number): void => {
    const route = request.routeOptions.url ?? 'unknown'
    const { id: requestId, method, caller, credits, isMcp } = request
    for (const observe of onSent)
      observe({ requestId, method, route, status, seconds, credits, isMcp, caller })
    const message = status === CLIENT_LEFT ? 'the client disconnected' : 'answered'
    request.log.info({ ...who(caller), method, route, status, seconds }, message)
  }
  app.addHook('onResponse', async (request, reply) => {
    if (reply.raw.writableFinished) log(request, reply.statusCode, reply.elapsedTime / 1000)
  })
  // The framework reports no response that its client did not wait for.
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      if (reply.raw.writableFinished) return
      const status = reply.raw.headersSent ? reply.statusCode : CLIENT_LEFT
      const seconds = reply.elapsedTime / 1000
      // The work decides what is charged, and ends after the connection.
      void Promise.allSettled([request.work]).then(() => log(request, status, seconds))
    })
    done()
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
