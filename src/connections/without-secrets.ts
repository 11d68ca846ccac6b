import { ProviderError } from '../providers/index.ts'

const REDACTED = '[redacted]'
const CAUSES_MAX = 5
/** Shorter strings are not tokens and may be parts of ordinary words. */
const SECRET_CHARACTERS_MIN = 8

/** A provider client's error that is safe to log and show: without the secrets, requests and answers. */
export function withoutSecrets(error: unknown, secrets: readonly (string | null)[]): Error {
  const hidden = secrets.flatMap((secret) =>
    secret === null || secret.length < SECRET_CHARACTERS_MIN ? [] : [secret, encodeURIComponent(secret)],
  )
  const clean = (text: string): string =>
    hidden.reduce((cleaned, secret) => cleaned.replaceAll(secret, REDACTED), text)
  return copy(error, clean, 1)
}

function copy(error: unknown, clean: (text: string) => string, depth: number): Error {
  if (!(error instanceof Error)) return new Error('something other than an error was thrown')
  const cause =
    error.cause === undefined || depth > CAUSES_MAX ? {} : { cause: copy(error.cause, clean, depth + 1) }
  const message = clean(error.message)
  const code = 'code' in error && typeof error.code === 'string' ? { code: clean(error.code) } : {}
  const made =
    error instanceof ProviderError
      ? new ProviderError(error.kind, message, {
          ...code,
          ...cause,
          ...(error.retryAfterMs === null ? {} : { retryAfterMs: error.retryAfterMs }),
        })
      : Object.assign(new Error(message, cause), code)
  made.name = error.name
  made.stack = clean(error.stack ?? `${error.name}: ${error.message}`)
  return made
}
