import { AppError } from './errors.ts'

/** A 503 with `Retry-After` in whole seconds: `not_ready` or `overloaded`. */
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
