import { randomUUID } from 'node:crypto'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import helmet from '@fastify/helmet'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { errorBody, toAppError } from './error-response.ts'
import type { Gates } from './gates.ts'
import { sendPage, wantsPage } from './page.ts'
import { authorize, type Principal, run } from './pipeline.ts'
import type { Route } from './route.ts'

export interface ServerOptions<S> {
  routes: readonly Route<S>[]
  services: S
  gates: Gates
  logger: FastifyBaseLogger
  /** Seconds and the route of every answered request, for metrics. */
  onAnswered?: (answered: { method: string; route: string; status: number; seconds: number }) => void
  /** Another HTTP application that answers everything below a path, before any of this sees it. */
  mounted?:
    | { path: string; handle(request: IncomingMessage, response: ServerResponse): Promise<void> }
    | undefined
}

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
] as const satisfies HTTPMethods[]
const RECEIVE_TIMEOUT_MS = 60_000
const HEADERS_BYTES_MAX = 16_384

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal
  }
}

/** The HTTP server for a route table. It is not listening yet; plain pages can still be added. */
export async function createServer<S>(options: ServerOptions<S>): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    requestTimeout: RECEIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    serverFactory: (handler) =>
      createHttpServer({ maxHeaderSize: HEADERS_BYTES_MAX }, withMounted(options, handler)),
    routerOptions: { maxParamLength: 512 },
    clientErrorHandler,
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-Id', request.id)
      sendError(reply, toAppError(error))
    },
  })
  await app.register(helmet, { global: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const seconds = reply.elapsedTime / 1000
    options.onAnswered?.({ method: request.method, route, status: reply.statusCode, seconds })
    request.log.info(
      { ...who(request.principal), method: request.method, route, status: reply.statusCode, seconds },
      'answered',
    )
  })
  app.setErrorHandler((error, request, reply) => {
    const appError = toAppError(error)
    logFault(request, error, appError)
    sendError(reply, appError)
  })
  app.setNotFoundHandler((request, reply) => {
    sendError(
      reply,
      new AppError('not_found', `There is no ${request.method} ${request.url.split('?', 1)[0]}`),
    )
  })
  for (const route of options.routes) addRoute(app, route, options)
  refuseOtherMethods(app, options.routes)
  return app
}

function withMounted<S>({ mounted, logger }: ServerOptions<S>, handler: RequestListener): RequestListener {
  if (!mounted) return handler
  return (request, response) => {
    if (!request.url?.startsWith(`${mounted.path}/`)) {
      handler(request, response)
      return
    }
    const requestId = randomUUID()
    response.setHeader('X-Request-Id', requestId)
    mounted.handle(request, response).catch((err: unknown) => {
      logger.error({ requestId, err }, 'a mounted application failed')
      if (!response.headersSent)
        response.writeHead(500, { 'Content-Type': 'application/json; charset=utf-8' })
      response.end(JSON.stringify(errorBody(toAppError(err))))
    })
  }
}

function addRoute<S>(app: FastifyInstance, route: Route<S>, { gates, services }: ServerOptions<S>): void {
  app.route({
    method: route.method,
    url: fastifyPath(route.path),
    bodyLimit: route.bodyBytesMax,
    // Before the body is read: who may not call a route does not get to send one.
    onRequest: async (request, reply) => {
      request.principal = await authorize(route, gates, request, reply)
    },
    handler: (request, reply) => run(route, gates, services, request.principal, request, reply),
    errorHandler: (error, request, reply) => {
      const appError = toAppError(error)
      logFault(request, error, appError)
      if (route.errorPage && wantsPage(request)) {
        void sendPage(reply, appError.status, route.errorPage(appError, request.params))
        return
      }
      sendError(reply, appError.code === 'body_too_large' ? tooLarge(route) : appError)
    },
  })
}

/** What somebody has to look into; that a setting is missing the answer says itself. */
function logFault(request: FastifyRequest, error: unknown, { status, code, message }: AppError): void {
  if (status >= 500 && code !== 'not_configured') request.log.error({ err: error }, message)
}

function tooLarge<S>(route: Route<S>): AppError {
  return new AppError('body_too_large', `The request body is larger than ${route.bodyBytesMax} bytes`, {
    details: { limitBytes: route.bodyBytesMax },
  })
}

/** A path of the table called with a method it does not have answers 405 and names those it has (RFC 9110, 15.5.6). */
function refuseOtherMethods<S>(app: FastifyInstance, routes: readonly Route<S>[]): void {
  const methodsOf = Map.groupBy(routes, (route) => fastifyPath(route.path))
  for (const [url, known] of methodsOf) {
    // The framework answers HEAD wherever there is GET.
    const allowed: HTTPMethods[] = known.flatMap(({ method }) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    )
    const others = METHODS.filter((method) => !allowed.includes(method))
    if (others.length === 0) continue
    app.route({
      method: others,
      url,
      onRequest: async (request, reply) => {
        reply.header('Allow', allowed.join(', '))
        throw new AppError(
          'method_not_allowed',
          isPreflight(request)
            ? 'Web pages of other origins cannot call this service: a key does not belong in a page; call it from a server'
            : `${request.method} is not possible here; use ${allowed.join(' or ')}`,
        )
      },
      handler: async () => {},
    })
  }
}

/** A browser asks whether a page of another origin may call (https://fetch.spec.whatwg.org/#cors-preflight-request). */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function sendError(reply: FastifyReply, error: AppError): void {
  void reply
    .code(error.status)
    .headers(error.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(error)))
}

/** What is not HTTP at all, or has headers past the limit, still gets a JSON body. */
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, appError] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [
          '431 Request Header Fields Too Large',
          new AppError('headers_too_large', `The request headers are larger than ${HEADERS_BYTES_MAX} bytes`),
        ]
      : ['400 Bad Request', new AppError('validation_failed', 'The request is not valid HTTP')]
  const body = JSON.stringify(errorBody(appError))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${randomUUID()}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function who(principal: Principal): { organizationId?: string; apiKeyId?: string; userId?: string } {
  if (principal === null) return {}
  switch (principal.kind) {
    case 'agent':
      return { organizationId: principal.organizationId, apiKeyId: principal.apiKeyId }
    case 'console':
      return { organizationId: principal.organizationId, userId: principal.userId }
    case 'user':
      return { userId: principal.userId }
  }
}
