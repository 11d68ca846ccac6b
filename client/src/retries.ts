import { MemoryConnectionError, MemoryError } from './errors.ts'

/** When and how often a request is sent again. Waits are in milliseconds. */
export interface RetryPolicy {
  /** How often a request that meets a fault is sent in all, the first time included. */
  attempts: number
  /** How often a request waits because of the rate limit; these waits are no attempts. */
  rateWaits: number
  /** A service that asks for a longer pause is not waited for. */
  maxWaitMs: number
  /** Told before each wait. */
  onWait?: ((wait: { milliseconds: number; reason: MemoryError | MemoryConnectionError }) => void) | undefined
  /** Waits; rejects when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** From 0 to below 1: spreads the pauses, so that many callers do not come back all at once. */
  random(): number
  /** The time in milliseconds since 1970, for a `Retry-After` that is a date. */
  now(): number
}

export const DEFAULT_RETRIES: RetryPolicy = {
  attempts: 3,
  rateWaits: 10,
  maxWaitMs: 60_000,
  sleep: sleepFor,
  random: () => Math.random(),
  now: () => Date.now(),
}

const FIRST_PAUSE_MS = 250
const PAUSE_MS_MAX = 8_000
/** How much longer than asked a pause may be. */
const RETRY_AFTER_SPREAD = 0.1
/** Of these it is not known whether the work was done. */
const UNCERTAIN_STATUSES = new Set([408, 500, 502, 504])

/**
 * Sends a request until it succeeds, fails for good, or the policy's limits are reached. A request whose repetition could do
 * or cost something twice (`idempotent` false) is sent again only when the service has refused it unread (429, 503).
 */
export async function withRetries<T>(
  send: () => Promise<T>,
  {
    policy,
    idempotent,
    signal,
  }: { policy: RetryPolicy; idempotent: boolean; signal?: AbortSignal | undefined },
): Promise<T> {
  let waits = 0
  for (let attempt = 1; ;) {
    try {
      return await send()
    } catch (error) {
      if (!isPassing(error, idempotent)) throw error
      const isRate = isRateLimit(error)
      if (isRate ? waits >= policy.rateWaits : attempt >= policy.attempts) throw error
      if (askedMsOf(error) > policy.maxWaitMs) throw error
      const milliseconds = pauseOf(error, attempt, policy)
      if (isRate) waits++
      else attempt++
      policy.onWait?.({ milliseconds, reason: error })
      await policy.sleep(milliseconds, signal)
    }
  }
}

/** Whether the same request may succeed later, and may be sent again. */
function isPassing(error: unknown, idempotent: boolean): error is MemoryError | MemoryConnectionError {
  if (error instanceof MemoryConnectionError) return idempotent
  if (!(error instanceof MemoryError)) return false
  if (isRateLimit(error)) return true
  if (error.status === 503) return error.code !== 'not_configured'
  return idempotent && UNCERTAIN_STATUSES.has(error.status)
}

/** A used-up credit budget is a 429 as well, and no pause of a program helps against it. */
function isRateLimit(error: MemoryError | MemoryConnectionError): boolean {
  return error instanceof MemoryError && error.status === 429 && error.code !== 'quota_exceeded'
}

/** How long the service asks to wait; 0 where it does not say. */
function askedMsOf(error: MemoryError | MemoryConnectionError): number {
  return error instanceof MemoryError && error.retryAfter !== null ? Math.max(1, error.retryAfter) * 1000 : 0
}

/** The service's `Retry-After` and a little more; otherwise growing pauses, each between half and all of its length. */
function pauseOf(error: MemoryError | MemoryConnectionError, attempt: number, policy: RetryPolicy): number {
  const asked = askedMsOf(error)
  if (asked > 0) return asked * (1 + RETRY_AFTER_SPREAD * policy.random())
  const whole = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** (attempt - 1))
  return whole * (0.5 + 0.5 * policy.random())
}

function sleepFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
