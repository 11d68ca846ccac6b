import {
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api'
import { followPages } from '../pages.ts'
import { createProviderCaller, type ProviderCaller } from '../retried-calls.ts'
import { ProviderError, type ProviderSession, type Refusal } from '../adapter.ts'
import { refuseRedirects } from '../../kernel/refuse-redirects.ts'

/** Errors that end a grant: docs.slack.dev/reference/methods/auth.test#errors. */
const AUTH_ERRORS = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'team_access_not_granted',
  'org_login_required',
  'invalid_refresh_token',
  'invalid_code',
  'code_already_used',
  'bad_redirect_uri',
])

/** https://docs.slack.dev/reference/methods/conversations.list#errors */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  missing_scope: 'missing_permission',
  no_permission: 'access_refused',
  access_denied: 'access_refused',
  restricted_action: 'access_refused',
}

/** Transient errors, sent as HTTP 200. */
const PASSING_ERRORS = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'accesslimited',
])

/** A client that does not retry; the caller handles waits. `signal` aborts requests in flight. */
export function createSlackClient(apiUrl: string, timeoutMs: number, signal: AbortSignal): WebClient {
  return new WebClient(undefined, {
    slackApiUrl: apiUrl,
    timeout: timeoutMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    // Its own warnings repeat the errors.
    logLevel: LogLevel.ERROR,
    fetch: (url, init) =>
      refuseRedirects(fetch)(url, {
        ...init,
        signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]),
      }),
  })
}

/** Calls of Slack's Web API with waits, retries and token renewal. */
export function createSlackCaller(): ProviderCaller {
  return createProviderCaller({
    toProviderError: toSlackError,
    curedByNewToken: (error) => error.code === 'token_expired',
  })
}

/** Translates an SDK error, with Slack's message; null when Slack did not cause it. */
export function toSlackError(error: unknown): ProviderError | null {
  if (error instanceof WebAPIRateLimitedError) {
    return new ProviderError('rate_limited', 'ratelimited', {
      retryAfterMs: error.retryAfter * 1000,
      cause: error,
    })
  }
  if (error instanceof WebAPIPlatformError) return platformError(error)
  if (error instanceof WebAPIHTTPError) {
    const words = `${error.statusCode} ${error.statusMessage}`.trim()
    const kind = error.statusCode >= 500 || error.statusCode === 408 ? 'unavailable' : 'rejected'
    return new ProviderError(kind, words, { code: String(error.statusCode), cause: error })
  }
  if (error instanceof WebAPIRequestError) {
    return new ProviderError('unavailable', requestWords(error.original), { cause: error })
  }
  // The SDK has no class for a 429 without Retry-After.
  if (error instanceof Error && error.message.startsWith('Retry header did not contain')) {
    return new ProviderError('rate_limited', 'ratelimited', { cause: error })
  }
  // The body broke off during the read.
  if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')) {
    return new ProviderError('unavailable', requestWords(error), { cause: error })
  }
  return null
}

function platformError(error: WebAPIPlatformError): ProviderError {
  const code = error.data.error
  if (code === 'ratelimited' || code === 'rate_limited') {
    const seconds = error.data.response_metadata?.retryAfter
    return new ProviderError('rate_limited', code, {
      code,
      cause: error,
      ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }),
    })
  }
  if (AUTH_ERRORS.has(code)) return new ProviderError('auth', code, { code, cause: error })
  // The SDK reports a non-JSON answer as `error: <the whole page>`: a proxy's error page, not Slack.
  if (PASSING_ERRORS.has(code) || code.length > 100) {
    const words = code.length > 100 ? 'Slack did not answer with JSON' : code
    return new ProviderError('unavailable', words, { code: code.slice(0, 100), cause: error })
  }
  const refusal = Object.hasOwn(REFUSALS, code) ? (REFUSALS[code] ?? null) : null
  return new ProviderError('rejected', code, { code, refusal, cause: error })
}

function requestWords(error: Error): string {
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `Slack did not answer (${error.message}${cause})`
}

/** The pages of a list. @throws ProviderError */
export const pagesOf = <Answer extends { response_metadata?: { next_cursor?: string } }>(
  run: SlackRun,
  list: (page: { token: string; cursor?: string }) => Promise<Answer>,
): AsyncGenerator<Answer> =>
  followPages(
    (cursor) => run.call((token) => list({ token, ...(cursor !== null && { cursor }) })),
    (answer) => answer.response_metadata?.next_cursor,
  )

/** What every part of a run needs to reach Slack. */
export interface SlackRun {
  session: ProviderSession
  client: WebClient
  call<Result>(attempt: (token: string) => Promise<Result>): Promise<Result>
}
