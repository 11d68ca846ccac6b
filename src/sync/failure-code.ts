import { AppError } from '../kernel/errors.ts'
import type { FailureCode } from '../kernel/failure-codes.ts'
import { ProviderError } from '../providers/index.ts'

/** The code of the failure that ended a run; null if none fits, because the message says more. */
export function failureCodeOf(cause: unknown): FailureCode | null {
  if (cause instanceof AppError) return cause.code === 'not_configured' ? 'not_configured' : null
  if (!(cause instanceof ProviderError)) return null
  if (cause.refusal !== null) return cause.refusal
  if (cause.kind === 'auth') return 'access_ended'
  return cause.kind === 'rejected' && cause.code === '403' ? 'access_refused' : null
}
