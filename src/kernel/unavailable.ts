import { AppError } from './errors.ts'

/**
 * The 503 of a service that cannot do this now but may in `retryAfterSeconds` (whole, at least 1): `not_ready` where the
 * database or the process is not there, `overloaded` where too much is going on. It carries `Retry-After`.
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
