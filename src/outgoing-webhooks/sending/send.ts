import type { IncomingMessage } from 'node:http'
import { AddressNotAllowed, isPublicAddress, type Resolve } from '../../guarded-requests/addresses.ts'
import { createOpenRequest } from '../../guarded-requests/guarded-request.ts'
import { codeOf } from '../../kernel/thrown-errors.ts'

/** An attempt's timeout, including the answer's body. */
export const ATTEMPT_TIMEOUT_MS = 15_000
/** The most that is read of an answer's body; none of it is stored. */
const ANSWER_BYTES_MAX = 16 * 1024

/** Why no answer came. */
export type SendFault =
  | 'address_not_allowed'
  | 'name_not_found'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'

/** The result of a request: an answer's status and `Retry-After` header, or a fault. */
export type SendResult = { status: number; retryAfter?: string | undefined } | { fault: SendFault }

export interface SendDependencies {
  resolve: Resolve
  /** Whether private addresses and plain http are allowed. */
  allowsPrivate: boolean
  timeoutMs?: number | undefined
}

/** Sends one request. @throws only the signal's reason once that aborts */
export type Send = (
  message: { url: string; headers: Record<string, string>; body: string },
  signal: AbortSignal,
) => Promise<SendResult>

/** A client that posts JSON to untrusted URLs: checked address, no proxy, no redirect, at most 15 seconds. */
export function createSend({
  resolve,
  allowsPrivate,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
}: SendDependencies): Send {
  const open = createOpenRequest(resolve, (address) => allowsPrivate || isPublicAddress(address))
  return async ({ url, headers, body }, signal) => {
    const target = new URL(url)
    // The operator may have withdrawn the setting since the webhook was created.
    if (target.protocol !== 'https:' && !allowsPrivate) return { fault: 'address_not_allowed' }
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const options = {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        signal: AbortSignal.any([signal, timeout]),
      }
      const answer = await open(target, options, body)
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

/** The status is already known, so errors in the body do not matter. */
async function discard(answer: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of answer) {
      bytes += Buffer.byteLength(chunk)
      if (bytes > ANSWER_BYTES_MAX) break
    }
  } catch {
    // The body broke off or took too long.
  } finally {
    answer.destroy()
  }
}

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO)/

function faultOf(error: unknown): SendFault {
  if (error instanceof AddressNotAllowed) return 'address_not_allowed'
  const code = codeOf(error)
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'name_not_found'
  return TLS_CODE.test(code) ? 'tls_failed' : 'connection_failed'
}
