import { AppError } from '../kernel/errors.ts'

/** What went wrong at a model server, in the words that every provider shares. */
export type ProviderFailureKind = 'auth' | 'rate_limited' | 'unavailable' | 'rejected'

/** A model server's failure with its own words; safe to log: it carries neither keys nor what was sent. */
export class ProviderFailure extends Error {
  readonly kind: ProviderFailureKind
  /** The HTTP status, or null when no answer came. */
  readonly status: number | null

  constructor(kind: ProviderFailureKind, status: number | null, words: string) {
    super(status === null ? words : `HTTP ${status}: ${words}`)
    this.name = 'ProviderFailure'
    this.kind = kind
    this.status = status
  }
}

const PUBLIC_MESSAGES: Record<ProviderFailureKind, string> = {
  auth: 'refused the credentials of this deployment; its operator has to mend them',
  rate_limited: 'is limiting requests; try again later',
  unavailable: 'could not be reached or failed; try again later',
  rejected: 'refused the request or gave an answer that cannot be used',
}

const WORDS_LENGTH_MAX = 500

/** The failure kind of an HTTP status; no answer at all (null) and one that broke off (below 400) are `unavailable`. */
function failureKind(status: number | null): ProviderFailureKind {
  if (status === null || status < 400 || status >= 500 || status === 408) return 'unavailable'
  if (status === 401 || status === 403) return 'auth'
  return status === 429 ? 'rate_limited' : 'rejected'
}

/**
 * The `upstream_error` for a model server's failure. `provider` is named in the public message ("The embedding model").
 * `words` are kept in the cause, shortened to 500 characters and with every one of `secrets` blotted out.
 */
export function providerError(
  provider: string,
  failure: { kind?: ProviderFailureKind; status: number | null; words: string },
  secrets: readonly (string | undefined)[],
): AppError {
  const kind = failure.kind ?? failureKind(failure.status)
  let words = failure.words
  for (const secret of secrets) if (secret) words = words.replaceAll(secret, '[secret]')
  const cause = new ProviderFailure(kind, failure.status, words.slice(0, WORDS_LENGTH_MAX))
  return new AppError('upstream_error', `${provider} ${PUBLIC_MESSAGES[kind]}.`, { cause })
}
