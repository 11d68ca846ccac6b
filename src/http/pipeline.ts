import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CHARGED_ACTIONS } from '../kernel/actions.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller, ScimCaller, UserCaller } from '../kernel/caller.ts'
import { hasRole, type Role } from '../kernel/roles.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { beyondReach } from '../kernel/scope.ts'
import { isStorable } from '../kernel/text.ts'
import { unavailable } from '../kernel/unavailable.ts'
import { validate } from '../kernel/validate.ts'
import { insufficientScope } from './bearer.ts'
import type { BodyReader } from './body-reader.ts'
import { CallerLeft } from './caller-left.ts'
import type { CreditReservation, CreditUse, Gates, Retrieved } from './gates.ts'
import { sendFixed } from './fixed-content.ts'
import { sendForm } from './page.ts'
import { type GivenBody, parseBody, refuseFields } from './parse-body.ts'
import { cleanParameters, refuseUnknownParameters } from './query-parameters.ts'
import { rateHeaders } from './rate-headers.ts'
import { pathOf } from './route-addresses.ts'
import type { Route, UntypedReply, UntypedRouteRequest } from './route.ts'
import { sendDownload } from './send-download.ts'
import { sendEvents } from './server-sent-events.ts'
import { stringifyCooperatively } from './stringify-cooperatively.ts'

/** The longest a handler can take before its signal aborts. */
export const REQUEST_TIMEOUT_MS = 60_000
/** If a body takes longer to arrive, the caller's rights are read again. */
const RIGHTS_VALID_MS = 1_000

export type RequestCaller = Caller | UserCaller | ScimCaller | null

/** The first half, before the body is read: authentication, action or role, rate limit and its headers. */
export async function authorize<S>(
  route: Route<S>,
  gates: Gates,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<RequestCaller> {
  const { authorization } = request.headers
  const access = route.access
  switch (access.surface) {
    case 'public':
      return null
    case 'operator':
      gates.authenticateOperator(authorization)
      return null
    case 'user':
      return await gates.authenticateUser(authorization)
    case 'scim':
      return await gates.admitScim(authorization)
    case 'agent': {
      const { action, reach } = access
      const { caller, rateState, uncappedAt } = await gates.admitAgent(authorization, { action, reach })
      // A refusal is logged with its key too.
      request.caller = caller
      if (rateState instanceof AppError) throw rateState
      if (rateState === null) {
        reply.headers(rateHeaders(await gates.rateState(caller, action)))
        if (!caller.allowedActions.includes(action)) throw insufficientScope(action)
        throw beyondReach(caller, reach ?? null, `"${route.summary}"`)
      }
      reply.headers(rateHeaders(rateState))
      request.uncappedAt = uncappedAt
      return caller
    }
    case 'console': {
      const [organizationId] = [request.headers['x-organization-id']].flat()
      const caller = await gates.authenticateConsole(authorization, organizationId)
      if (!hasRole(caller.role, access.role)) {
        reply.headers(rateHeaders(await gates.rateState(caller, access.action)))
        throw needsRole(access.role)
      }
      reply.headers(rateHeaders(await gates.admit(caller, access.action)))
      return caller
    }
  }
}

function needsRole(role: Role): AppError {
  return new AppError('role_required', `This requires the role ${role} in the workspace`)
}

/** The caller as of now. @throws AppError once its key is revoked, or the person has left or lost the role */
async function readAgain<S>(
  { access }: Route<S>,
  gates: Gates,
  caller: RequestCaller,
  authorization: string | undefined,
): Promise<RequestCaller> {
  if (caller?.kind === 'agent') return await gates.authenticateAgent(authorization)
  if (caller?.kind === 'scim') return await gates.admitScim(authorization)
  if (caller?.kind !== 'console' || access.surface !== 'console') return caller
  const person = await gates.reenter(caller)
  if (!hasRole(person.role, access.role)) throw needsRole(access.role)
  return person
}

/** The caller, read again if the body arrived slowly: its rights can have ended meanwhile. */
async function callerNow<S>(
  route: Route<S>,
  gates: Gates,
  { caller, authorizedAt, headers }: FastifyRequest,
): Promise<RequestCaller> {
  const isRecent = performance.now() - authorizedAt < RIGHTS_VALID_MS
  return isRecent ? caller : await readAgain(route, gates, caller, headers.authorization)
}

export interface Work<S> {
  gates: Gates
  services: S
  bodyReader: BodyReader
}

/** The second half: validation (400), plan and subscription (402), credits (429), then the work and its response. */
export async function run<S>(
  route: Route<S>,
  { gates, services, bodyReader }: Work<S>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const caller = await callerNow(route, gates, request)
  const abort = new AbortController()
  const timer = setTimeout(
    () => abort.abort(unavailable('overloaded', 'The request took too long and was aborted', 10)),
    REQUEST_TIMEOUT_MS,
  )
  const onClose = (): void => {
    if (!reply.raw.writableFinished) abort.abort(new CallerLeft())
  }
  reply.raw.once('close', onClose)
  try {
    const parsed = await parseRequest(route, bodyReader, caller, request, abort.signal)
    const email = emailOf(route, parsed)
    const viewer = await viewerOf(route, gates, caller, email)
    const use = useOf(route, caller, request)
    if (use) await gates.requireRoom(use.caller)
    const reservation = use && charging(route, request, email, await gates.reserveCredit(use, request.id))
    let result: UntypedReply
    try {
      const viewAgain = async () =>
        await viewerOf(
          route,
          gates,
          await readAgain(route, gates, caller, request.headers.authorization),
          email,
        )
      result = await route.handle({ ...parsed, viewer, viewAgain }, services)
      if ('stream' in result) return await sendEvents(reply, result, reservation)
      if ('redirect' in result) return await reply.redirect(result.redirect, result.status ?? 302)
      if ('download' in result) return await sendDownload(reply, result.download)
      if ('form' in result) return await sendForm(reply, result.form)
      if ('fixed' in result) return await sendFixed(request, reply, result.fixed)
      if ('empty' in result) return await reply.code(204).send()
      const schema = responseSchema(route, result.status)
      const body = await stringifyCooperatively(schema.parse(result.body))
      await reservation?.settle(foundBy(route, result.retrieved))
      return await reply
        .headers({ ...result.headers })
        .code(result.status)
        .type(`${route.dialect?.contentType ?? 'application/json'}; charset=utf-8`)
        .send(body)
    } catch (error) {
      await reservation?.refund()
      throw error
    }
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', onClose)
  }
}

const NamedInBody = z.object({ onBehalfOf: z.object({ email: z.string() }).optional() })
const NamedInQuery = z.object({ onBehalfOf: z.string().optional() })

function emailOf<S>(route: Route<S>, { body, query }: ParsedRequest): string | undefined {
  switch (route.onBehalfOf) {
    case undefined:
      return undefined
    case 'body':
      return NamedInBody.parse(body).onBehalfOf?.email
    case 'query':
      return NamedInQuery.parse(query).onBehalfOf
  }
}

/** What the caller may read; null for a route that reads no items. */
async function viewerOf<S>(
  route: Route<S>,
  gates: Gates,
  caller: RequestCaller,
  email: string | undefined,
): Promise<Viewer | null> {
  if (route.onBehalfOf === undefined) return null
  if (caller === null || caller.kind === 'user' || caller.kind === 'scim')
    throw new Error(`${route.operationId} reads items and belongs to no organization`)
  return await gates.viewerOf(caller, email)
}

/** A reservation that names the person in the audit event, and notes on the request what it was charged. */
function charging<S>(
  { credits }: Route<S>,
  request: FastifyRequest,
  email: string | undefined,
  reservation: CreditReservation,
): CreditReservation {
  const person = email === undefined ? {} : { onBehalfOf: email }
  return {
    ...reservation,
    async settle(retrieved) {
      await reservation.settle({ ...retrieved, ...person })
      request.credits = credits
    },
  }
}

/** The result of a charged answer, which its route must report. */
function foundBy<S>(route: Route<S>, retrieved: Retrieved | undefined): Retrieved {
  if (!retrieved) throw new Error(`${route.operationId} costs a credit and does not say what it found`)
  return retrieved
}

/** What the request's credit pays for; undefined when it costs none. */
function useOf<S>(
  route: Route<S>,
  caller: RequestCaller,
  { isMcp, uncappedAt }: FastifyRequest,
): CreditUse | undefined {
  if (route.credits === 0 || caller === null) return undefined
  if (caller.kind === 'user' || caller.kind === 'scim') return undefined
  const action = 'action' in route.access ? route.access.action : null
  const surface = CHARGED_ACTIONS.find((charged) => charged === action)
  if (!surface) throw new Error(`${route.operationId} charges a credit for an uncharged action`)
  return { caller, surface, isMcp, uncappedAt }
}

type ParsedRequest = Omit<UntypedRouteRequest, 'viewer' | 'viewAgain'>

async function parseRequest<S>(
  route: Route<S>,
  bodyReader: BodyReader,
  caller: RequestCaller,
  request: FastifyRequest,
  signal: AbortSignal,
): Promise<ParsedRequest> {
  const given = bodyOf(request, caller, signal)
  refuseUnknownParameters(route.query, request.query)
  const params = parseParams(route.params, request.params)
  const query = route.query && validate(route.query, cleanParameters(request.query), 'query')
  const { headers } = request
  // Public routes are callbacks and webhooks, which read the bytes themselves.
  const isWithoutBody = !route.body && route.upload === undefined && route.access.surface !== 'public'
  if (isWithoutBody) refuseFields(given, route.dialect)
  return {
    params,
    query,
    body: await parseBody(route, bodyReader, given),
    caller,
    requestId: request.id,
    path: pathOf(request).replace(/(?<=.)\/$/, ''),
    headers,
    rawBody: given.bytes,
    signal,
  }
}

export function bodyOf(request: FastifyRequest, caller: RequestCaller, signal: AbortSignal): GivenBody {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  return { bytes, headers: request.headers, owner: ownerOf(caller), signal }
}

const StorableParams = z.record(z.string(), z.string().refine(isStorable))

/** A malformed id, or one with text that cannot be stored, names nothing, so it is a 404 like a missing one. */
function parseParams(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined
  const storable = StorableParams.safeParse(value)
  const result = storable.success ? schema.safeParse(storable.data) : storable
  if (!result.success) throw new AppError('not_found', 'There is no such resource')
  return result.data
}

/** The owner of a request for queues and limits: its organization, when it has one. */
export function ownerOf(caller: RequestCaller): string {
  if (caller === null) return 'public'
  return caller.kind === 'user' ? caller.userId : caller.organizationId
}

function responseSchema<S>(route: Route<S>, status: number): z.ZodType {
  const schema = Object.entries(route.responses).find(([declared]) => Number(declared) === status)?.[1]
  if (!schema) throw new Error(`${route.operationId} answered ${status}, which it does not declare`)
  return schema
}
