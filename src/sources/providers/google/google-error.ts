import { gaxios } from 'google-auth-library'
import { z } from 'zod'
import { ProviderError, type ProviderErrorKind } from '../../provider.ts'

/** A failed call to Google, with what the adapters decide by. */
export class GoogleError extends ProviderError {
  /** HTTP status; null when no answer came. */
  readonly status: number | null
  /** `errors[0].reason` of the answer, such as `userRateLimitExceeded`; OAuth's `error` at the token endpoint. */
  readonly reason: string | null

  constructor(
    kind: ProviderErrorKind,
    message: string,
    options: { status?: number; reason?: string; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    const code = options.reason ?? (options.status === undefined ? undefined : String(options.status))
    super(kind, message, { ...options, ...(code === undefined ? {} : { code }) })
    this.name = 'GoogleError'
    this.status = options.status ?? null
    this.reason = options.reason ?? null
  }
}

// https://developers.google.com/workspace/drive/api/guides/handle-errors and the same page of Gmail: rate limits also come as 403.
const RATE_LIMIT_REASONS = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'sharingRateLimitExceeded',
  'dailyLimitExceeded',
  'quotaExceeded',
])
// Drive's 403 says no time. Its windows are a minute long and slide.
const USUAL_WAIT_MS = 5_000
const SCOPE_REASONS = new Set([
  'insufficientPermissions',
  'insufficientScopes',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
])
// OAuth errors that only a person can mend: connect again, or correct the client's settings (RFC 6749, section 5.2).
const OAUTH_FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'access_denied'])

const apiErrorBody = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
})
const oauthErrorBody = z.object({ error: z.string(), error_description: z.string().optional() })

/**
 * Translates whatever a call to Google threw. Errors that are not the transport's (a bug, an abort) come back as they are. The
 * transport's own error is not kept as the cause: it holds the whole request and answer, and ends up in logs.
 */
export function toGoogleError(error: unknown): unknown {
  if (!(error instanceof gaxios.GaxiosError)) return error
  const response = error.response
  if (!response)
    return new GoogleError(isTooLarge(error) ? 'rejected' : 'unavailable', error.message, reasonOf(error))
  const { status } = response
  if (status < 300) return new GoogleError('rejected', error.message, { status, reason: TOO_LARGE })
  const { message, reason } = readBody(response.data)
  const kind = kindOf(status, reason)
  const saidMs = retryAfterOf(response.headers, message)
  const retryAfterMs = kind === 'rate_limited' ? (saidMs ?? USUAL_WAIT_MS) : saidMs
  return new GoogleError(kind, message ?? error.message, {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  })
}

/** The reason given to an answer that was longer than the limit of its request. */
export const TOO_LARGE = 'tooLarge'

function kindOf(status: number, reason: string | undefined): ProviderErrorKind {
  if (status === 429) return 'rate_limited'
  if (status >= 500 || status === 408) return 'unavailable'
  if (status === 401) return 'auth'
  if (reason !== undefined && OAUTH_FINAL.has(reason)) return 'auth'
  if (status === 403 && reason !== undefined && RATE_LIMIT_REASONS.has(reason)) return 'rate_limited'
  if (status === 403 && reason !== undefined && SCOPE_REASONS.has(reason)) return 'auth'
  return 'rejected'
}

function readBody(data: unknown): { message: string | undefined; reason: string | undefined } {
  const body = parseJson(data)
  const oauth = oauthErrorBody.safeParse(body)
  if (oauth.success) {
    const { error, error_description: description } = oauth.data
    return { message: description === undefined ? error : `${error}: ${description}`, reason: error }
  }
  const api = apiErrorBody.safeParse(body)
  if (!api.success) return { message: undefined, reason: undefined }
  return { message: api.data.error.message, reason: api.data.error.errors?.[0]?.reason }
}

// The body of a failed download has the type the download asked for.
function parseJson(data: unknown): unknown {
  const text = data instanceof ArrayBuffer ? Buffer.from(data).toString('utf8') : data
  if (typeof text !== 'string') return text
  try {
    const parsed: unknown = JSON.parse(text)
    return parsed
  } catch {
    // Not JSON (a proxy's error page): there is no reason to read.
    return null
  }
}

// Retry-After is seconds or a date (RFC 9110, 10.2.3); Gmail also says "Retry after <ISO time>" in the message.
// Dates are compared with the answer's own Date header: the provider's clock, whatever ours says.
function retryAfterOf(headers: Headers, message: string | undefined): number | null {
  const header = headers.get('retry-after')
  if (header !== null && /^\d+$/.test(header.trim())) return Number(header) * 1000
  const said = header ?? /retry after (\d{4}-\d\d-\d\dT[\d:.]+Z)/i.exec(message ?? '')?.[1]
  const until = Date.parse(said ?? '')
  const now = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(until) || Number.isNaN(now) ? null : Math.max(0, until - now)
}

function isTooLarge(error: Error): boolean {
  const cause = error.cause
  return cause instanceof Error && 'type' in cause && cause.type === 'max-size'
}

function reasonOf(error: Error): { reason?: string; cause: unknown } {
  return isTooLarge(error) ? { reason: TOO_LARGE, cause: error.cause } : { cause: error.cause }
}
