import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import { hasRole } from '../kernel/roles.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Access } from '../http/route.ts'

/** The caller of a tool, as the request to `/mcp` and its gates identified it. */
export interface Calling {
  caller: Caller
  /** The credentials to send with the calls. */
  headers: Readonly<Record<string, string>>
  /** Aborts when the client disconnects. */
  signal: AbortSignal
}

export interface RouteCall {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

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

const currentSignal = new AsyncLocalStorage<AbortSignal>()

/** Ends calls when the client disconnects: the framework watches a call's signal only until it has read the body. */
export function passSignalToRoutes(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    const signal = currentSignal.getStore()
    request.isMcp = signal !== undefined
    signal?.addEventListener('abort', () => reply.raw.destroy(), { once: true })
  })
}

/** Calls a route as the caller would over HTTP, so that a tool always behaves like its route. */
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
  // Starts only when awaited.
  const answer = await currentSignal.run(signal, async () => await server.inject(call))
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

/** An error in a tool's own arguments, in the shape of a route's error. */
export function refusalOf({ code, message }: AppError): Refusal {
  return { code, message, issues: [], retryAfterSeconds: null }
}

/** Whether the route accepts this kind of caller. Other refusals depend on the request. */
export function mayCall(access: Access, caller: Caller): boolean {
  switch (access.surface) {
    case 'agent':
      return caller.kind === 'agent' && caller.allowedActions.includes(access.action)
    case 'console':
      return caller.kind === 'console' && hasRole(caller.role, access.role)
    case 'public':
    case 'user':
    case 'operator':
    case 'scim':
      return false
  }
}
