import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import {
  AddressNotAllowed,
  guardedLookup,
  isPublicAddress,
  literalAddress,
  type Resolve,
} from './addresses.ts'

/** The longest that an attempt may take, its answer's body included. */
export const ATTEMPT_TIMEOUT_MS = 15_000
/** What of an answer's body is received at most; none of it is kept. */
const ANSWER_BYTES_MAX = 16 * 1024

/** Why nobody answered. */
export type SendFault =
  | 'address_not_allowed'
  | 'name_not_found'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'

/** How a request ended: with an answer's status and its `Retry-After` header, or with none. */
export type SendResult = { status: number; retryAfter?: string | undefined } | { fault: SendFault }

export interface SendDependencies {
  resolve: Resolve
  /** Whether private addresses, and plain http, are allowed. */
  allowsPrivate: boolean
  timeoutMs?: number | undefined
}

/** Sends one request. @throws the signal's reason once that aborts, and nothing else */
export type Send = (
  message: { url: string; headers: Record<string, string>; body: string },
  signal: AbortSignal,
) => Promise<SendResult>

/**
 * Makes what posts JSON to addresses that anybody may have written down: over a connection of its own to an address that was
 * looked at, without a proxy, following no redirect, for 15 seconds at most.
 */
export function createSend({
  resolve,
  allowsPrivate,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
}: SendDependencies): Send {
  const isAllowed = (address: string): boolean => allowsPrivate || isPublicAddress(address)
  const lookup = guardedLookup(resolve, isAllowed)
  return async ({ url, headers, body }, signal) => {
    const target = new URL(url)
    const literal = literalAddress(target)
    // No name is looked up for it.
    if (literal !== null && !isAllowed(literal)) return { fault: 'address_not_allowed' }
    // The setting may have been taken back since the webhook was made.
    if (target.protocol !== 'https:' && !allowsPrivate) return { fault: 'address_not_allowed' }
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await post(target, body, {
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        lookup,
        signal: AbortSignal.any([signal, timeout]),
      })
      const status = answer.statusCode ?? 0
      const retryAfter = answer.headers['retry-after']
      await discard(answer)
      return { status, retryAfter }
    } catch (error) {
      signal.throwIfAborted()
      return { fault: timeout.aborted ? 'timeout' : faultOf(error) }
    }
  }
}

/** The answer, whose body is yet to come. An agent of its own per request knows no proxy and keeps no connection. */
async function post(target: URL, body: string, options: RequestOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = target.protocol === 'https:' ? requestHttps : requestHttp
  const sent = request(target, { ...options, method: 'POST', agent: false }, resolve)
  sent.on('error', reject)
  sent.end(body)
  return await promise
}

/** The status is known by now: whatever becomes of the body, it stays. */
async function discard(answer: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of answer) {
      bytes += Buffer.byteLength(chunk)
      if (bytes > ANSWER_BYTES_MAX) break
    }
  } catch {
    // It broke, or took too long.
  } finally {
    answer.destroy()
  }
}

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO)/

function faultOf(error: unknown): SendFault {
  if (error instanceof AddressNotAllowed) return 'address_not_allowed'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'name_not_found'
  return TLS_CODE.test(code) ? 'tls_failed' : 'connection_failed'
}
