import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { DAY } from './clock.ts'
import { StripeError } from './stripe-error.ts'

export interface IdempotencyKeys {
  /**
   * The stored answer of a repeated call; null for a first one, which reserves the key.
   * @throws StripeError for a key of another call (400) or of one in progress (409)
   */
  begin(request: EmulatorRequest, key: string): EmulatorReply | null
  /** Stores the answer; an answer without any effect frees the key. */
  end(key: string, reply: EmulatorReply): void
}

/** Statuses that mean that nothing was tried: the call may be repeated with changes. */
const NOTHING_TRIED = new Set([400, 401, 404, 409, 429])

/** Keys last a day by the caller's clock (seconds). */
export function createIdempotencyKeys(callersNow: () => number): IdempotencyKeys {
  const calls = new Map<string, { fingerprint: string; at: number; reply: EmulatorReply | null }>()
  return {
    begin: (request, key) => {
      const fingerprint = `${request.method} ${request.path}\n${request.body}`
      const earlier = calls.get(key)
      if (earlier === undefined || callersNow() - earlier.at >= DAY) {
        calls.set(key, { fingerprint, at: callersNow(), reply: null })
        return null
      }
      if (earlier.fingerprint !== fingerprint) {
        const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
        throw new StripeError(400, { type: 'idempotency_error', message })
      }
      if (earlier.reply === null) {
        const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`
        throw new StripeError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message })
      }
      return earlier.reply
    },
    end: (key, reply) => {
      const call = calls.get(key)
      if (call === undefined) return
      if (NOTHING_TRIED.has(reply.status ?? 200)) calls.delete(key)
      else call.reply = reply
    },
  }
}
