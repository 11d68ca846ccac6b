import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import { ROLES } from '../kernel/actions.ts'
import type { Caller } from '../kernel/principal.ts'
import type { Access } from '../http/route.ts'

/** Who calls: as the request to `/mcp` said it, and whom the gates made of that. */
export interface Calling {
  principal: Caller
  /** What the calls present in turn. */
  headers: Readonly<Record<string, string>>
  /** Aborts when the client goes away. */
  signal: AbortSignal
}

export interface RouteCall {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

/** What a route answered with: its body, or the error that the service has for everybody. */
export type RouteAnswer = { body: Record<string, unknown> } | { refusal: Refusal }

export interface Refusal {
  code: string
  message: string
  issues: readonly string[]
  retryAfterSeconds: number | null
}

const ErrorAnswer = z.object({
  error: z.string(),
  code: z.string(),
  issues: z.array(z.object({ message: z.string() })).default([]),
})

/** For whom a call is under way: its signal. */
const underWay = new AsyncLocalStorage<AbortSignal>()

/** Marks the calls as the tools', and lets them end with the client: the framework listens to a call's signal only until the body was read. */
export function knowCalls(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    const signal = underWay.getStore()
    request.isMcp = signal !== undefined
    signal?.addEventListener('abort', () => reply.raw.destroy(), { once: true })
  })
}

/**
 * Calls a route of this server as the caller would over HTTP: authentication, action, rate window, validation, plan,
 * credits, audit and log are the route's own, so that no tool can differ from it.
 */
export async function callRoute(
  server: FastifyInstance,
  { headers, signal }: Calling,
  { method, path, body }: RouteCall,
): Promise<RouteAnswer> {
  signal.throwIfAborted()
  const call = {
    method,
    url: path,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  }
  // It begins only when it is awaited.
  const answer = await underWay.run(signal, async () => await server.inject(call))
  if (answer.statusCode < 400) return { body: z.record(z.string(), z.unknown()).parse(answer.json()) }
  const { error, code, issues } = ErrorAnswer.parse(answer.json())
  const retryAfter = Number(answer.headers['retry-after'] ?? Number.NaN)
  return {
    refusal: {
      code,
      message: error,
      issues: issues.map(({ message }) => message),
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    },
  }
}

/** An error of our own work with arguments, in the shape of a route's. */
export function refusalOf({ code, message }: AppError): Refusal {
  return { code, message, issues: [], retryAfterSeconds: null }
}

/** Whether the route takes this caller at all; what else it refuses depends on the moment. */
export function mayCall(access: Access, principal: Caller): boolean {
  switch (access.surface) {
    case 'agent':
      return principal.kind === 'agent' && principal.allowedActions.includes(access.action)
    case 'console':
      return principal.kind === 'console' && ROLES.indexOf(principal.role) <= ROLES.indexOf(access.role)
    case 'public':
    case 'user':
    case 'operator':
    case 'scim':
      return false
  }
}
