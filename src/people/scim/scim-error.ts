import { AppError } from '../../kernel/errors.ts'
import type { ErrorCode } from '../../kernel/error-codes.ts'

/** The reason of a refusal (RFC 7644, section 3.12). */
export type ScimType =
  | 'invalidFilter'
  | 'uniqueness'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'invalidValue'
  | 'noTarget'

/** An error with a `scimType`, which {@link scimErrorBody} shows. */
export function scimError(code: ErrorCode, scimType: ScimType, message: string): AppError {
  return new AppError(code, message, { details: { scimType } })
}

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

export function scimErrorBody({ status, code, message, details }: AppError): object {
  const scimType = details['scimType'] ?? SCIM_TYPES[code]
  return {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: message,
  }
}

/** Of errors that the service's other routes have, too. */
const SCIM_TYPES: Partial<Record<ErrorCode, ScimType>> = {
  validation_failed: 'invalidValue',
  malformed_json: 'invalidSyntax',
}
