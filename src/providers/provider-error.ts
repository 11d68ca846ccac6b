import { DAY_MS } from '../kernel/clock.ts'
import type { FailureCode } from '../kernel/failure-codes.ts'

/** Outcomes of a failed call; `cursor_expired` needs a full resync, `rate_limited` a wait of `retryAfterMs`. */
export type ProviderErrorKind = 'auth' | 'rate_limited' | 'unavailable' | 'rejected' | 'cursor_expired'

/** Why a provider refuses all of an account, where its answer has a code for it. */
export type Refusal = Exclude<FailureCode, 'access_ended' | 'not_configured'>

/** A provider's failure. `message` is the provider's own message, verbatim, and may be shown to users. */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind
  /** At most a week. A longer wait is the provider's mistake and would stop the source forever. */
  readonly retryAfterMs: number | null
  /** The provider's error code or HTTP status, for decisions in the adapter. */
  readonly code: string | null
  readonly refusal: Refusal | null

  constructor(
    kind: ProviderErrorKind,
    message: string,
    options: {
      retryAfterMs?: number | undefined
      code?: string
      refusal?: Refusal | null
      cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ProviderError'
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs === undefined ? null : Math.min(options.retryAfterMs, 7 * DAY_MS)
    this.code = options.code ?? null
    this.refusal = options.refusal ?? null
  }
}

/** Whether the provider refused the call itself; others may succeed. */
export const isRejected = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.kind === 'rejected'

/** Whether the object does not exist or the account may not see it. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ProviderError && (error.code === '404' || error.code === '410')

/** For `catch`: returns `value` for an expected error and throws others. */
export const returnIf =
  <Value>(isExpected: (error: unknown) => boolean, value: Value) =>
  (error: unknown): Value => {
    if (isExpected(error)) return value
    throw error
  }
