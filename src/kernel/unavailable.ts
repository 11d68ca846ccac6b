import { AppError } from './errors.ts'

/**
 * A 503 with `Retry-After`, in whole seconds, at least 1. `not_ready`: the database or the process is unavailable.
 * `overloaded`: there is too much work.
 */
export function unavailable(
  code: 'not_ready' | 'overloaded',
  message: string,
  retryAfterSeconds: number,
  cause?: unknown,
): AppError {
  return new AppError(code, `${message}; try again in ${retryAfterSeconds} s`, {
    details: { retryAfterSeconds },
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
  })
}
