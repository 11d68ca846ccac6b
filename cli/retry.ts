import { ApiError, CommandError, ConnectionError } from './failures.ts'

export interface RetryOptions {
  /** Waits so many milliseconds; rejects when the command is stopped. */
  sleep(milliseconds: number): Promise<void>
  /** Told before each wait. */
  onWait(reason: string, milliseconds: number): void
}

/** Attempts of a request that fails with 5xx or without an answer, the first included. */
const ATTEMPTS_MAX = 6
const FIRST_PAUSE_MS = 250
const PAUSE_MS_MAX = 8_000
/** A service that asks for a longer pause is not waited for. */
const RETRY_AFTER_SECONDS_MAX = 600
/** Waits for one request; a service that never lets it through is not waited for. */
const RATE_WAITS_MAX = 60

/**
 * Runs a request that may be repeated: waits as long as a 429 says, and tries again after 5xx and broken connections
 * with growing pauses, six times in all. Other failures pass through, as does a used-up credit budget.
 */
export async function withRetries<T>(request: () => Promise<T>, options: RetryOptions): Promise<T> {
  let waits = 0
  for (let attempt = 1; ;) {
    try {
      return await request()
    } catch (error) {
      if (isRateLimit(error)) {
        const seconds = Math.max(1, error.retryAfterSeconds ?? 1)
        waits++
        if (seconds > RETRY_AFTER_SECONDS_MAX || waits > RATE_WAITS_MAX) {
          throw new CommandError(`The service asks to wait ${seconds} s: try again later`, { cause: error })
        }
        options.onWait('rate limit', seconds * 1000)
        await options.sleep(seconds * 1000)
        continue
      }
      if (!isPassing(error) || attempt === ATTEMPTS_MAX) throw error
      const pause = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** (attempt - 1))
      options.onWait(error.message, pause)
      await options.sleep(pause)
      attempt++
    }
  }
}

function isRateLimit(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 429 && error.code !== 'quota_exceeded'
}

function isPassing(error: unknown): error is Error {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)
}
