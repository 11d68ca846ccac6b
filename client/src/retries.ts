import { MemoryConnectionError, MemoryError } from './errors.ts'

/** When and how often a request is retried. Waits are in milliseconds. */
export interface RetryPolicy {
  /** Attempts of a failing request, including the first. */
  attempts: number
  /** Waits for the rate limit, which do not count as attempts. */
  rateWaits: number
  /** If the service asks for a longer pause, the error is thrown instead. */
  maxWaitMs: number
  /** Called before each wait. */
  onWait?: ((wait: { milliseconds: number; reason: MemoryError | MemoryConnectionError }) => void) | undefined
  /** Waits. Rejects when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** From 0 to below 1. Spreads the pauses of many callers. */
  random(): number
  /** The time in milliseconds since 1970, to compare with a `Retry-After` that is a date. */
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

/** The fields of a policy that a client or a call changes. */
export type RetryChanges = { [Key in keyof RetryPolicy]?: RetryPolicy[Key] | undefined }

/** A policy with changes. Fields that are undefined stay as they are: without a number, attempts would not end. */
export function changed(policy: RetryPolicy, changes: RetryChanges | false | undefined): RetryPolicy {
  if (changes === false) return { ...policy, attempts: 1, rateWaits: 0 }
  return {
    attempts: changes?.attempts ?? policy.attempts,
    rateWaits: changes?.rateWaits ?? policy.rateWaits,
    maxWaitMs: changes?.maxWaitMs ?? policy.maxWaitMs,
    onWait: changes?.onWait ?? policy.onWait,
    sleep: changes?.sleep ?? policy.sleep,
    random: changes?.random ?? policy.random,
    now: changes?.now ?? policy.now,
  }
}

const FIRST_PAUSE_MS = 250
const PAUSE_MS_MAX = 8_000
/** The longest extension of a requested pause, as a share of it. */
const RETRY_AFTER_SPREAD = 0.1
/** After these, it is unknown whether the request took effect. */
const UNCERTAIN_STATUSES = new Set([408, 500, 502, 504])

/**
 * Sends a request until it succeeds, fails permanently, or reaches the policy's limits. A request that is not idempotent is
 * retried only if the service refused it before doing any work (429, 503).
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

/** Whether the failure is temporary and the request may be repeated. */
function isPassing(error: unknown, idempotent: boolean): error is MemoryError | MemoryConnectionError {
  if (error instanceof MemoryConnectionError) return idempotent
  if (!(error instanceof MemoryError)) return false
  if (isRateLimit(error)) return true
  if (error.status === 503) return error.code !== 'not_configured'
  return idempotent && UNCERTAIN_STATUSES.has(error.status)
}

/** Used-up credits are a 429 too, but waiting does not help. */
function isRateLimit(error: MemoryError | MemoryConnectionError): boolean {
  return error instanceof MemoryError && error.status === 429 && error.code !== 'quota_exceeded'
}

/** The pause that the service asks for; 0 if it names none. */
function askedMsOf(error: MemoryError | MemoryConnectionError): number {
  return error instanceof MemoryError && error.retryAfter !== null ? Math.max(1, error.retryAfter) * 1000 : 0
}

/** `Retry-After` and a little more; otherwise exponential backoff with jitter. */
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
