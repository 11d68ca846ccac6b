import { z } from 'zod'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { parseJson } from '../../../kernel/parse-json.ts'
import { ProviderError, type ProviderErrorKind, type Refusal } from '../../adapter.ts'
import type { RestAnswer } from '../../rest.ts'

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

/** The error in an answer of Google. @param wait that of Retry-After, in milliseconds */
export function googleErrorOf(
  { status, headers, bytes }: RestAnswer,
  _words: string,
  wait: number | undefined,
): GoogleError {
  const { message, reason } = readBody(parseJson(bytes.toString('utf8')))
  const dailyMs = reason !== undefined && DAILY_REASONS.has(reason) ? DAILY_WAIT_MS : undefined
  const retryAfterMs = wait ?? saidWait(headers, message) ?? dailyMs
  // A proxy's page would be a long message.
  return new GoogleError(kindOf(status, reason), message ?? `Google answered with status ${status}`, {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

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

function readBody(body: unknown): { message: string | undefined; reason: string | undefined } {
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

// Gmail writes "Retry after <ISO time>" in the message. The time is compared with the answer's Date header, so the local
// clock does not matter.
function saidWait(headers: Headers, message = ''): number | undefined {
  const said = /retry after (\d{4}-\d\d-\d\dT[\d:.]+Z)/i.exec(message)?.[1]
  const wait = Date.parse(said ?? '') - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
