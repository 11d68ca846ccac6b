import type { FastifyInstance } from 'fastify'
import type { Tracer } from '../kernel/tracer.ts'

const PATH_CHARACTERS_MAX = 512

/** Makes a span of every request, of which is a part what is done for it; in the trace that its `traceparent` names. */
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
        'url.path': pathOf(request.url),
        'memory.request.id': request.id,
        ...(route === undefined ? {} : { 'http.route': route }),
      },
    })
    // Comes after every answer, and when there is none.
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

/** Without the query, which may hold secrets such as an OAuth code. */
function pathOf(url: string): string {
  const end = url.indexOf('?')
  return (end === -1 ? url : url.slice(0, end)).slice(0, PATH_CHARACTERS_MAX)
}

/** The client went away before it was answered. */
class ClientLeft extends Error {
  override name = 'client_left'
}

/** As the conventions have it, the status is the type of the error. */
class AnsweredWith extends Error {
  constructor(status: number) {
    super()
    this.name = String(status)
  }
}
