import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import helmet from 'helmet'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { actingFor } from '../kernel/event-loop.ts'
import { unavailable } from '../kernel/unavailable.ts'
import { collectAddresses, refuseOtherMethod } from './route-addresses.ts'
import { type BodyBudget, type BodyShare, createBodyBudget } from './body-budget.ts'
import { type BodyReader, createBodyReader } from './body-reader.ts'
import { CLIENT_TIMEOUTS, type ClientTimeouts, createClientErrorHandler } from './client-errors.ts'
import { toAppError } from './error-response.ts'
import { createRequestOwners } from './request-owners.ts'
import { logResponses, type OnSent } from './log-responses.ts'
import { createNodeServer, HEADERS_BYTES_MAX, refuseWithoutHost } from './node-server.ts'
import { answerUnknownRoutes } from './not-found.ts'
import type { Gates } from './gates.ts'
import { sendPage, wantsPage } from './page.ts'
import { type BodyDeclaration, parseBody } from './parse-body.ts'
import { authorize, bodyOf, ownerOf, type RequestCaller, run, type Work } from './pipeline.ts'
import { receiveBody } from './receive-body.ts'
import { describeError, logFault, sendError } from './send-error.ts'
import { traceRequests } from './trace-requests.ts'
import type { Route } from './route.ts'

export interface ServerOptions<S> {
  routes: readonly Route<S>[]
  services: S
  gates: Gates
  logger: FastifyBaseLogger
  /** The base URL in links, without a trailing slash. */
  publicUrl: () => string
  /** Called for every request as it arrives; the returned function is called when it is answered or aborted. */
  onReceived?: () => () => void
  onSent?: readonly OnSent[]
  tracer?: Tracer | undefined
  /** While true, every route except the operations answers 503. */
  isDraining?: () => boolean
  /** How long a client can take; for tests. */
  timeouts?: Partial<ClientTimeouts>
  /** Another HTTP application that answers everything below a path, before this server sees it. */
  mounted?:
    | { path: string; handle(request: IncomingMessage, response: ServerResponse): Promise<void> }
    | undefined
}

/** Hooks and a file's streams listen to a response's end, up to a dozen. Node suspects a leak above ten. */
const RESPONSE_LISTENERS_MAX = 20
/** The longest that requests in flight keep the server open; shorter than a drain. */
const CLOSING_MAX_MS = 25_000
/** Addresses that report the process's state while it stops. */
const STILL_ANSWERED = new Set(['/healthz', '/readyz', '/metrics'])

declare module 'fastify' {
  interface FastifyRequest {
    caller: RequestCaller
    bodyShare: BodyShare
    /** When it was authorized, by the monotonic clock. */
    authorizedAt: number
    /** The route's work, once it has begun. */
    work: Promise<unknown> | null
    /** The credits that it was charged. */
    credits: number
    /** A tool of `/mcp` sends it on behalf of the tool's caller. */
    isMcp: boolean
    /** When the key lookup read that the organization's subscription has no cap; null: it has one, or was not read. */
    uncappedAt: Date | null
  }
  interface FastifyInstance {
    /** The base URL in links, without a trailing slash. */
    publicUrl: () => string
    /** Reserves memory for the body in the name of the authenticated caller; until then it counts as anonymous. */
    holdBody: (request: FastifyRequest, reply: FastifyReply) => void
    /** Authenticates a request on behalf of its token's last known owner. */
    authenticateForOwner: <P extends RequestCaller>(
      request: FastifyRequest,
      authenticate: () => Promise<P>,
    ) => Promise<P>
    /** Parses the body of a request outside the route table, a large one in a worker thread. */
    parseBody: (
      declaration: BodyDeclaration,
      request: FastifyRequest,
      signal: AbortSignal,
    ) => Promise<unknown>
  }
}

/** The HTTP server for a route table. It does not listen yet; plain pages can still be added. */
export async function createServer<S>(options: ServerOptions<S>): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle',
    // The hook below answers instead, with the usual error body.
    return503OnClosing: false,
    serverFactory: (handler) => createNodeServer(withMounted(options, handler), options.timeouts),
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    clientErrorHandler: createClientErrorHandler(HEADERS_BYTES_MAX, options.publicUrl),
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-Id', request.id)
      sendError(reply, toAppError(error))
    },
  })
  const protect = helmet()
  app.addHook('onRequest', (request, reply, done) => protect(request.raw, reply.raw, () => done()))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    receiveBody(payload, {
      bytesMax: request.routeOptions.bodyLimit ?? 0,
      share: request.bodyShare,
      isKnown: request.caller !== null,
    }),
  )
  app.decorateRequest('caller', null)
  app.decorateRequest('authorizedAt', 0)
  app.decorateRequest('work', null)
  app.decorateRequest('credits', 0)
  app.decorateRequest('isMcp', false)
  app.decorateRequest('uncappedAt', null)
  const budget = createBodyBudget()
  const bodyReader = createBodyReader()
  app.addHook('onClose', () => bodyReader.close())
  const receiveMaxMs = options.timeouts?.requestTimeout ?? CLIENT_TIMEOUTS.requestTimeout
  app.addHook('preClose', async () => {
    // A closing server no longer enforces the timeouts of incomplete requests.
    setTimeout(() => app.server.closeAllConnections(), Math.min(receiveMaxMs, CLOSING_MAX_MS)).unref()
  })
  decorateServer(app, { publicUrl: options.publicUrl, budget, bodyReader })
  const addresses = collectAddresses(app)
  if (options.tracer) traceRequests(app, options.tracer)
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.setMaxListeners(RESPONSE_LISTENERS_MAX)
    const onClosed = options.onReceived?.()
    if (onClosed) reply.raw.once('close', onClosed)
    reply.header('X-Request-Id', request.id)
    holdBody(budget, request, reply)
    if (options.isDraining?.() && !STILL_ANSWERED.has(request.routeOptions.url ?? '')) throw stopping(reply)
    refuseWithoutHost(request.raw)
    if (request.is404) refuseOtherMethod(request, addresses)
  })
  logResponses(app, options.onSent)
  app.setErrorHandler((error, request, reply) => {
    const appError = toAppError(error)
    logFault(request, error, appError)
    sendError(reply, appError)
  })
  answerUnknownRoutes(app, addresses)
  for (const route of options.routes) addRoute(app, route, { ...options, budget, bodyReader })
  return app
}

/** What routes and pages outside the table share with those in it. */
function decorateServer(
  app: FastifyInstance,
  { publicUrl, budget, bodyReader }: { publicUrl: () => string; budget: BodyBudget; bodyReader: BodyReader },
): void {
  app.decorate('publicUrl', publicUrl)
  app.decorate('holdBody', (request: FastifyRequest, reply: FastifyReply) => holdBody(budget, request, reply))
  const owners = createRequestOwners()
  app.decorate(
    'authenticateForOwner',
    async <P extends RequestCaller>(request: FastifyRequest, authenticate: () => Promise<P>) => {
      const { authorization } = request.headers
      const caller = await actingFor(owners.ownerOfRequest(authorization), authenticate)
      if (caller !== null) owners.remember(authorization, ownerOf(caller))
      return caller
    },
  )
  app.decorate('parseBody', (declaration: BodyDeclaration, request: FastifyRequest, signal: AbortSignal) =>
    parseBody(declaration, bodyReader, bodyOf(request, request.caller, signal)),
  )
}

function withMounted<S>(
  { mounted, logger, publicUrl }: ServerOptions<S>,
  handler: RequestListener,
): RequestListener {
  if (!mounted) return handler
  return (request, response) => {
    if (request.method === 'TRACE' || !request.url?.startsWith(`${mounted.path}/`)) {
      handler(request, response)
      return
    }
    const requestId = randomUUID()
    response.setHeader('X-Request-Id', requestId)
    mounted.handle(request, response).catch((err: unknown) => {
      logger.error({ requestId, err }, 'a mounted application failed')
      const { status, headers, ...error } = describeError(toAppError(err), publicUrl())
      if (!response.headersSent) response.writeHead(status, headers)
      response.end(error.body)
    })
  }
}

function addRoute<S>(app: FastifyInstance, route: Route<S>, work: Work<S> & { budget: BodyBudget }): void {
  app.route({
    method: route.method,
    url: fastifyPath(route.path),
    // A download would be created and thrown away.
    exposeHeadRoute: route.downloads.length === 0,
    bodyLimit: route.bodyBytesMax,
    // Before the body is read: a caller without access does not get to send one.
    onRequest: async (request, reply) => {
      request.caller = await app.authenticateForOwner(request, () =>
        authorize(route, work.gates, request, reply),
      )
      request.authorizedAt = performance.now()
      holdBody(work.budget, request, reply)
    },
    handler: (request, reply) => {
      request.work = actingFor(ownerOf(request.caller), () => run(route, work, request, reply))
      return request.work
    },
    errorHandler: (error, request, reply) => {
      const appError = toAppError(error)
      logFault(request, error, appError)
      if (route.errorPage && wantsPage(request)) {
        void sendPage(
          reply.headers(appError.headers),
          appError.status,
          route.errorPage(appError, request.params),
        )
        return
      }
      sendError(reply, appError, route.dialect)
    },
  })
}

/** Reserves memory for the body, in the sender's name, until the request has been answered or aborted. */
function holdBody(budget: BodyBudget, request: FastifyRequest, reply: FastifyReply): void {
  const share = budget.open(ownerOf(request.caller))
  request.bodyShare = share
  reply.raw.once('close', () => share.release())
}

function stopping(reply: FastifyReply): AppError {
  reply.header('Connection', 'close')
  return unavailable('not_ready', 'The service is stopping', 5)
}

function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
