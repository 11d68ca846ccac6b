import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { ROLES } from '../kernel/actions.ts'
import { AppError, validationError } from '../kernel/errors.ts'
import type { Caller, UserPrincipal } from '../kernel/principal.ts'
import { isWithin, requireReach } from '../kernel/scope.ts'
import type { Gates, RateStanding } from './gates.ts'
import { parseJsonBody } from './json-body.ts'
import { sendForm } from './page.ts'
import type { Route, UntypedReply, UntypedRouteRequest } from './route.ts'
import { sendEvents } from './server-sent-events.ts'

/** Longest a handler may take before its signal aborts. */
export const REQUEST_TIMEOUT_MS = 60_000

export type Principal = Caller | UserPrincipal | null

/**
 * The first half, before the body is read: authentication (401), action or role (403), rate limit (429).
 * Sets the rate-limit headers of every authenticated `/v1` answer.
 */
export async function authorize<S>(
  route: Route<S>,
  gates: Gates,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Principal> {
  const bearer = bearerToken(request.headers.authorization)
  const access = route.access
  switch (access.surface) {
    case 'public':
      return null
    case 'operator':
      gates.authenticateOperator(bearer)
      return null
    case 'user':
      return await gates.authenticateUser(bearer)
    case 'agent': {
      const principal = await gates.authenticateAgent(bearer)
      if (!principal.allowedActions.includes(access.action)) {
        setRateHeaders(reply, await gates.standing(principal, access.action))
        throw new AppError(
          'action_not_allowed',
          `This API key is not allowed the action "${access.action}"; mint a key that holds it`,
        )
      }
      if (access.reach !== undefined && !isWithin(access.reach, principal.allowedProviders)) {
        setRateHeaders(reply, await gates.standing(principal, access.action))
        requireReach(principal, access.reach, `"${route.summary}"`)
      }
      setRateHeaders(reply, await gates.admit(principal, access.action))
      return principal
    }
    case 'console': {
      const principal = await gates.authenticateConsole(
        bearer,
        singleHeader(request.headers['x-organization-id']),
      )
      if (ROLES.indexOf(principal.role) > ROLES.indexOf(access.role)) {
        setRateHeaders(reply, await gates.standing(principal, access.action))
        throw new AppError('role_required', `This needs the role ${access.role} in the workspace`)
      }
      setRateHeaders(reply, await gates.admit(principal, access.action))
      return principal
    }
  }
}

/** The second half: validation (400), subscription (402), credits (429), then the work and its answer. */
export async function run<S>(
  route: Route<S>,
  gates: Gates,
  services: S,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const abort = new AbortController()
  const timer = setTimeout(
    () => abort.abort(new AppError('internal', 'The request took too long and was given up')),
    REQUEST_TIMEOUT_MS,
  )
  const onClose = (): void => {
    if (!reply.raw.writableFinished) abort.abort(new Error('the caller went away'))
  }
  reply.raw.once('close', onClose)
  try {
    const parsed = parseRequest(route, principal, request, abort.signal)
    const hold =
      route.credits === 1 && principal && principal.kind !== 'user'
        ? await gates.holdCredit(principal.organizationId, request.id)
        : undefined
    let result: UntypedReply
    try {
      result = await route.handle(parsed, services)
      if ('stream' in result) return await sendEvents(reply, result.stream, hold)
      if ('redirect' in result) return await reply.redirect(result.redirect, result.status ?? 302)
      if ('form' in result) return await sendForm(reply, result.form)
      const schema = responseSchema(route, result.status)
      const body = JSON.stringify(schema.parse(result.body))
      await hold?.settle()
      return await reply
        .headers({ ...result.headers })
        .code(result.status)
        .type('application/json; charset=utf-8')
        .send(body)
    } catch (error) {
      await hold?.refund()
      throw error
    }
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', onClose)
  }
}

function parseRequest<S>(
  route: Route<S>,
  principal: Principal,
  request: FastifyRequest,
  signal: AbortSignal,
): UntypedRouteRequest {
  const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  return {
    params: parsePart(route.params, request.params, 'params'),
    query: parsePart(route.query, request.query, 'query'),
    body: route.body === undefined ? undefined : parsePart(route.body, jsonBody(request, rawBody), ''),
    principal,
    requestId: request.id,
    path: request.url.split('?', 1)[0] ?? request.url,
    headers: request.headers,
    rawBody,
    signal,
  }
}

function jsonBody(request: FastifyRequest, rawBody: Buffer): unknown {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new AppError('unsupported_media_type', 'Send the body as Content-Type: application/json')
  }
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body as it is, without a Content-Encoding')
  }
  return parseJsonBody(rawBody)
}

function parsePart(schema: z.ZodType | undefined, value: unknown, part: '' | 'params' | 'query'): unknown {
  if (schema === undefined) return undefined
  const result = schema.safeParse(value)
  if (result.success) return result.data
  // An id that is not a UUID names nothing: it answers as one that does not exist.
  if (part === 'params') throw new AppError('not_found', 'There is no such resource')
  throw validationError(
    result.error.issues.map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message })),
  )
}

function responseSchema<S>(route: Route<S>, status: number): z.ZodType {
  const schema = Object.entries(route.responses).find(([declared]) => Number(declared) === status)?.[1]
  if (!schema) throw new Error(`${route.operationId} answered ${status}, which it does not declare`)
  return schema
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1]
}

function singleHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function setRateHeaders(reply: FastifyReply, standing: RateStanding): void {
  reply.headers({
    'X-RateLimit-Limit': String(standing.limit),
    'X-RateLimit-Remaining': String(standing.remaining),
    'X-RateLimit-Reset': standing.resetAt.toISOString(),
  })
}
