import { AppError } from '../kernel/errors.ts'
import type { ErrorCode } from '../kernel/error-codes.ts'
import { outageOf } from './outage.ts'

export interface ErrorBody {
  error: string
  code: ErrorCode
  [detail: string]: unknown
}

/** The JSON body of an error: its public part and nothing else. */
export function errorBody(error: AppError): ErrorBody {
  return { error: error.message, code: error.code, ...error.details }
}

const FASTIFY_ERRORS: Record<string, (error: Error) => AppError> = {
  FST_ERR_BAD_URL: (cause) =>
    new AppError('validation_failed', 'The URL is not correctly percent-encoded', { cause }),
  // A name that no resource can have.
  FST_ERR_MAX_PARAM_LENGTH: (cause) => new AppError('not_found', 'There is no such resource', { cause }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (cause) =>
    new AppError('unsupported_media_type', 'Send the body as Content-Type: application/json', { cause }),
}

/** Any thrown thing as an AppError: 503 where the database is away or busy; what is unknown becomes a 500 that tells nothing of the inside. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = FASTIFY_ERRORS[code]
  if (known && error instanceof Error) return known(error)
  const outage = outageOf(error)
  if (outage) return outage
  return new AppError('internal', 'Something went wrong on our side; the request id names it in our logs', {
    cause: error,
  })
}
