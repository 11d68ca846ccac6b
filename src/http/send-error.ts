import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../kernel/error-codes.ts'
import type { AppError } from '../kernel/errors.ts'
import { CallerLeft } from './caller-left.ts'
import { errorBody } from './error-response.ts'
import type { JsonDialect } from './route.ts'

/** Logs what an operator has to look into. A missing setting is in the answer already. */
export function logFault(
  request: FastifyRequest,
  error: unknown,
  { status, code, message, facts }: AppError,
): void {
  if (error instanceof CallerLeft) return
  if (facts !== null) request.log.info(facts, message)
  if (status < 500 || code === 'not_configured') return
  // Callers retry after a 503, so each of their requests would log an error.
  if (status === 503) request.log.warn({ err: error }, message)
  else request.log.error({ err: error }, message)
}

/**
 * Of a body that is not read. The framework would close the connection, which resets it while the client still sends, so
 * that the client never reads the response. Without that, Node reads and drops the rest.
 */
const UNREAD_BODY = new Set<ErrorCode>(['body_too_large', 'overloaded'])

export function sendError(reply: FastifyReply, error: AppError, dialect?: JsonDialect): void {
  if (UNREAD_BODY.has(error.code)) reply.removeHeader('connection')
  const body = dialect?.errorBody(error) ?? errorBody(error, reply.server.publicUrl())
  void reply
    .code(error.status)
    .headers(error.headers)
    .type(`${dialect?.contentType ?? 'application/json'}; charset=utf-8`)
    .send(JSON.stringify(body))
}

/** The same for a response of Node's own. */
export function describeError(
  error: AppError,
  publicUrl: string,
): { status: number; headers: Record<string, string>; body: string } {
  const headers = { ...error.headers, 'Content-Type': 'application/json; charset=utf-8' }
  return { status: error.status, headers, body: JSON.stringify(errorBody(error, publicUrl)) }
}
