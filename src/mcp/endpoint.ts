import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { looksLike } from '../http/bearer.ts'
import { CallerLeft } from '../http/caller-left.ts'
import type { Gates } from '../http/gates.ts'
import type { Route } from '../http/route.ts'
import { AppError } from '../kernel/errors.ts'
import { isLoopback } from '../kernel/loopback.ts'
import type { Caller } from '../kernel/caller.ts'
import { actingFor } from '../kernel/event-loop.ts'
import { passSignalToRoutes } from './call-route.ts'
import { createMcpServers } from './describe-server.ts'
import { MESSAGE_DECLARATION, refuseMessage } from './message.ts'

const MCP_PATH = '/mcp'
/** RFC 9728, 3: at the host, and with the resource's path appended, where clients look first. */
const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Room for a document's text and metadata in JSON. */
const BODY_BYTES_MAX = 2 * 1024 * 1024

export interface McpOptions<S> {
  routes: readonly Route<S>[]
  gates: Gates
  version: string
  /** The issuer's URL; null when sign-in is off. */
  issuer: () => string | null
}

/** The Model Context Protocol at `/mcp`: streamable HTTP without sessions, whose tools call the routes. */
export function addMcp<S>(server: FastifyInstance, options: McpOptions<S>): void {
  const serverFor = createMcpServers(server, options)
  passSignalToRoutes(server)
  server.route({
    method: 'POST',
    url: MCP_PATH,
    bodyLimit: BODY_BYTES_MAX,
    onRequest: async (request, reply) => {
      refuseOtherPlaces(request)
      request.caller = await server.authenticateForOwner(request, () => authenticate(options.gates, request))
      options.gates.admitMessage(callerOf(request))
      server.holdBody(request, reply)
    },
    handler: async (request, reply) => {
      const abort = new AbortController()
      reply.raw.once('close', () => abort.abort(new CallerLeft()))
      const calling = {
        caller: callerOf(request),
        headers: credentialsOf(request),
        signal: abort.signal,
      }
      const bytes = Buffer.isBuffer(request.body) ? request.body.length : 0
      const message = await server.parseBody(MESSAGE_DECLARATION, request, abort.signal)
      const version = request.headers['mcp-protocol-version']?.toString()
      const refused = refuseMessage(message, { bytes, version })
      if (refused) return await reply.code(refused.status).send(refused.body)
      // The lists never change, so a subscription is acknowledged and ends immediately.
      const handler = createMcpHandler(() => serverFor(calling), {
        maxSubscriptions: 1,
        keepAliveMs: 0,
        onerror: (err) => request.log.debug({ err }, 'an MCP message was refused'),
      })
      const answer = await actingFor(calling.caller.organizationId, () =>
        handler.fetch(toWebRequest(request, abort.signal), { parsedBody: message }),
      )
      return await reply.send(answer)
    },
  })
  for (const url of [METADATA_PATH, `${METADATA_PATH}${MCP_PATH}`])
    server.get(url, async () => resourceMetadata(server.publicUrl(), options.issuer()))
}

/** https://www.rfc-editor.org/rfc/rfc9728#section-2 */
function resourceMetadata(publicUrl: string, issuer: string | null): Record<string, unknown> {
  return {
    resource: `${publicUrl}${MCP_PATH}`,
    resource_name: 'Retrieval Memory Service',
    ...(issuer === null ? {} : { authorization_servers: [issuer] }),
    bearer_methods_supported: ['header'],
  }
}

/** The 401 says where a client learns about tokens (RFC 9728, 5.1). */
async function authenticate(gates: Gates, request: FastifyRequest): Promise<Caller> {
  const { authorization } = request.headers
  try {
    return looksLike(authorization?.replace(/^bearer +/i, '').trim() ?? '') === 'JWT'
      ? await gates.authenticateConsole(authorization, credentialsOf(request)['x-organization-id'])
      : await gates.authenticateAgent(authorization)
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 401) throw error
    const challenge = error.headers['WWW-Authenticate'] ?? 'Bearer'
    const metadata = `resource_metadata="${request.server.publicUrl()}${METADATA_PATH}${MCP_PATH}"`
    throw new AppError(error.code, error.message, {
      cause: error,
      headers: { ...error.headers, 'WWW-Authenticate': `${challenge}, ${metadata}` },
    })
  }
}

function credentialsOf({ headers }: FastifyRequest): Record<string, string> {
  const organization = headers['x-organization-id']
  return {
    ...(headers.authorization === undefined ? {} : { authorization: headers.authorization }),
    ...(typeof organization === 'string' ? { 'x-organization-id': organization } : {}),
  }
}

/** The protocol's rule against DNS rebinding. A loopback-only service accepts every loopback name and no other. */
function refuseOtherPlaces({ headers: { origin }, server, host }: FastifyRequest): void {
  const own = new URL(server.publicUrl())
  const isLocal = isLoopback(own.hostname)
  if (isLocal && !isLoopback(host.replace(/:\d*$/, '')))
    throw new AppError(
      'origin_not_allowed',
      "This service accepts only local host names; set PUBLIC_URL to the service's public address",
    )
  const isOwn = origin === undefined || origin === own.origin || (isLocal && origin === `http://${host}`)
  if (!isOwn)
    throw new AppError('origin_not_allowed', 'Web pages from other origins cannot call this service')
}

function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null || caller.kind === 'user' || caller.kind === 'scim')
    throw new Error('the request is not authenticated')
  return caller
}

function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    for (const each of [value].flat()) if (each !== undefined) headers.append(name, each)
  return new Request(`http://127.0.0.1${MCP_PATH}`, { method: 'POST', headers, signal })
}
