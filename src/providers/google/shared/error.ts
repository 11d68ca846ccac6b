import { gaxios } from 'google-auth-library'
import { z } from 'zod'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { parseJson } from '../../../kernel/parse-json.ts'
import { ProviderError, type ProviderErrorKind, type Refusal } from '../../adapter.ts'
import { TOO_LARGE } from '../../extract-file.ts'

/** A failed call to Google, with the fields the adapters decide by. */
export class GoogleError extends ProviderError {
  /** HTTP status; null when no answer came. */
  readonly status: number | null
  /** `errors[0].reason` of the answer, such as `userRateLimitExceeded`; at the token endpoint OAuth's `error`. */
  readonly reason: string | null

  constructor(kind: ProviderErrorKind, message: string, options: GoogleErrorOptions = {}) {
    const code = options.reason ?? (options.status === undefined ? undefined : String(options.status))
    const refusal = kind === 'rate_limited' ? null : refusalOf(options)
    super(kind, message, { ...options, refusal, ...(code === undefined ? {} : { code }) })
    this.name = 'GoogleError'
    this.status = options.status ?? null
    this.reason = options.reason ?? null
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof GoogleError && error.status === 404

interface GoogleErrorOptions {
  status?: number
  reason?: string
  retryAfterMs?: number
  cause?: unknown
}

// Rate limits also arrive as 403: https://developers.google.com/workspace/drive/api/guides/handle-errors and Gmail's
// equivalent page.
const RATE_LIMIT_REASONS = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'sharingRateLimitExceeded',
  'dailyLimitExceeded',
  'dailyLimitExceededUnreg',
  'quotaExceeded',
])
// A daily quota resets with the day; until then calls retry at this interval.
const DAILY_REASONS = new Set(['dailyLimitExceeded', 'dailyLimitExceededUnreg'])
const DAILY_WAIT_MS = HOUR_MS
const SCOPE_REASONS = new Set([
  'insufficientPermissions',
  'insufficientScopes',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
])
// OAuth errors that only a user or operator can fix: connect again, or correct the client's or domain's settings (RFC
// 6749, section 5.2, and https://developers.google.com/identity/protocols/oauth2/web-server#authorization-errors).
const OAUTH_FINAL = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'access_denied',
  'invalid_scope',
  'deleted_client',
  'disabled_client',
  'admin_policy_enforced',
  'org_internal',
])
/** https://developers.google.com/workspace/drive/api/guides/handle-errors, and OAuth's errors above. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ...Object.fromEntries([...SCOPE_REASONS].map((reason) => [reason, 'missing_permission' as const])),
  admin_policy_enforced: 'app_blocked',
  org_internal: 'app_blocked',
  domainPolicy: 'app_blocked',
  accessNotConfigured: 'api_disabled',
  SERVICE_DISABLED: 'api_disabled',
}
// Errors that mean "not now", whatever the status (RFC 6749, 4.1.2.1; internal_failure is Google's own).
const OAUTH_TRANSIENT = new Set(['internal_failure', 'server_error', 'temporarily_unavailable'])

const apiErrorBody = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z.array(z.object({ reason: z.string().optional() })).optional(),
    // google.rpc.ErrorInfo, which newer answers have alone.
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
})
const oauthErrorBody = z.object({ error: z.string(), error_description: z.string().optional() })

/** Translates errors of calls to Google. The transport's error holds the whole request, so it is no cause. */
export function toGoogleError(error: unknown): unknown {
  if (!(error instanceof gaxios.GaxiosError)) return error
  const response = error.response
  if (!response) {
    if (isTooLarge(error)) return new GoogleError('rejected', TOO_LARGE_MESSAGE, { reason: TOO_LARGE })
    return new GoogleError('unavailable', `Google did not answer: ${reasonOf(error)}`)
  }
  const { status } = response
  if (status < 300) return new GoogleError('rejected', TOO_LARGE_MESSAGE, { status, reason: TOO_LARGE })
  return googleErrorOf(status, response.headers, response.data)
}

/** The error in an answer of Google, whose body may be parsed, text or bytes. */
export function googleErrorOf(status: number, headers: Headers, body: unknown): GoogleError {
  const { message, reason } = readBody(body)
  const kind = kindOf(status, reason)
  const dailyMs = reason !== undefined && DAILY_REASONS.has(reason) ? DAILY_WAIT_MS : null
  const retryAfterMs = retryAfterOf(headers, message) ?? dailyMs
  // The transport's message would be the whole page.
  return new GoogleError(kind, message ?? `Google answered with status ${status}`, {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  })
}

const TOO_LARGE_MESSAGE = "Google's answer is larger than the limit and is not read"

function kindOf(status: number, reason: string | undefined): ProviderErrorKind {
  if (status === 429) return 'rate_limited'
  if (status >= 500 || status === 408) return 'unavailable'
  if (reason !== undefined && OAUTH_TRANSIENT.has(reason)) return 'unavailable'
  if (status === 401) return 'auth'
  if (reason !== undefined && OAUTH_FINAL.has(reason)) return 'auth'
  if (status === 403 && reason !== undefined && RATE_LIMIT_REASONS.has(reason)) return 'rate_limited'
  if (status === 403 && reason !== undefined && SCOPE_REASONS.has(reason)) return 'auth'
  return 'rejected'
}

function refusalOf({ reason = '', status }: GoogleErrorOptions): Refusal | null {
  const known = Object.hasOwn(REFUSALS, reason) ? REFUSALS[reason] : undefined
  return known ?? (status === 403 ? 'access_refused' : null)
}

function readBody(data: unknown): { message: string | undefined; reason: string | undefined } {
  const body = bodyOf(data)
  const oauth = oauthErrorBody.safeParse(body)
  if (oauth.success) {
    const { error, error_description: description } = oauth.data
    return { message: description === undefined ? error : `${error}: ${description}`, reason: error }
  }
  const api = apiErrorBody.safeParse(body)
  if (!api.success) return { message: undefined, reason: undefined }
  const { message, errors = [], details = [] } = api.data.error
  return { message, reason: [...errors, ...details].find(({ reason }) => reason !== undefined)?.reason }
}

// The body of a failed download has the type the download asked for.
function bodyOf(data: unknown): unknown {
  const text = data instanceof ArrayBuffer ? Buffer.from(data).toString('utf8') : data
  return typeof text === 'string' ? parseJson(text) : text
}

// Retry-After is seconds or a date (RFC 9110, 10.2.3); Gmail also writes "Retry after <ISO time>" in the message.
// Dates are compared with the answer's Date header, so the local clock does not matter.
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

// The transport's message begins with the whole URL.
function reasonOf({ message, code }: { message: string; code?: string | number | undefined }): string {
  if (!message.includes('://')) return message
  return /, reason: ([^/]{1,200})$/.exec(message)?.[1]?.trim() || String(code ?? 'no connection')
}
