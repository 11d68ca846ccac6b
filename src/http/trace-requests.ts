import type { FastifyInstance } from 'fastify'
import type { Tracer } from '../kernel/tracer.ts'
import { pathOf } from './route-addresses.ts'

const PATH_CHARACTERS_MAX = 512

/** Records a span for every request, the parent of the spans of its work, in the trace that `traceparent` names. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers } = request
    const route = request.routeOptions.url
    const span = tracer.begin(route === undefined ? method : `${method} ${route}`, {
      kind: 'server',
      parent: { traceparent: headers.traceparent, tracestate: headers.tracestate },
      attributes: {
        'http.request.method': method,
        'url.scheme': app.publicUrl().startsWith('https:') ? 'https' : 'http',
        'url.path': pathOf(request).slice(0, PATH_CHARACTERS_MAX),
        'memory.request.id': request.id,
        ...(route === undefined ? {} : { 'http.route': route }),
      },
    })
    // Emitted after every response, and when there is none.
    reply.raw.once('close', () => {
      const { statusCode } = reply
      if (!reply.raw.writableFinished) {
        span.end({ error: new ClientLeft() })
        return
      }
      span.set({ 'http.response.status_code': statusCode })
      if (statusCode >= 500) span.end({ error: new AnsweredWith(statusCode) })
      else span.end()
    })
    span.within(done)
  })
}

class ClientLeft extends Error {
  override name = 'client_left'
}

/** By convention, the status is the error's type. */
class AnsweredWith extends Error {
  constructor(status: number) {
    super()
    this.name = String(status)
  }
}
