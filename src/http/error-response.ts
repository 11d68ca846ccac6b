import { AppError, validationError } from '../kernel/errors.ts'
import type { ErrorCode } from '../kernel/error-codes.ts'
import { codeOf } from '../kernel/thrown-errors.ts'
import { outageOf } from './outage.ts'

export interface ErrorBody {
  error: string
  code: ErrorCode
  documentation: string
  [detail: string]: unknown
}

/** The page that explains the error codes, each under its own anchor. */
export const ERRORS_PATH = '/errors'

/** The JSON body of an error: only its public part. `publicUrl` is the service's base URL. */
export function errorBody({ message, code, details }: AppError, publicUrl: string): ErrorBody {
  return { error: message, code, documentation: `${publicUrl}${ERRORS_PATH}#${code}`, ...details }
}

const FASTIFY_ERRORS: Record<string, (error: unknown) => AppError> = {
  FST_ERR_BAD_URL: () => validationError([{ path: '', message: 'The URL is not correctly percent-encoded' }]),
  FST_ERR_MAX_PARAM_LENGTH: (cause) => new AppError('not_found', 'There is no such resource', { cause }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (cause) =>
    new AppError('unsupported_media_type', 'Send the body as Content-Type: application/json', { cause }),
}

/** Turns anything thrown into an AppError: 503 for the database, otherwise a 500 that reveals nothing. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const known = FASTIFY_ERRORS[codeOf(error)]
  if (known) return known(error)
  const outage = outageOf(error)
  if (outage) return outage
  return new AppError(
    'internal',
    'Something went wrong on our side. Try again. If the error persists, report the X-Request-Id of this response',
    {
      cause: error,
    },
  )
}
