import {
  Client,
  isHTTPResponseError,
  isNotionClientError,
  LogLevel,
  RequestTimeoutError,
} from '@notionhq/client'
import { parseJson } from '../../kernel/parse-json.ts'
import { retryAfterMs } from '../../kernel/retry-after.ts'
import { createProviderCaller, type ProviderCaller } from '../retried-calls.ts'
import { ProviderError, type ProviderSession } from '../adapter.ts'
import { refuseRedirects } from '../../kernel/refuse-redirects.ts'

/** What every part of a run needs to reach Notion. */
export interface NotionRun {
  session: ProviderSession
  client: Client
  call<Result>(attempt: (token: string) => Promise<Result>): Promise<Result>
  /** Notion's time, from its last answer: edits are compared with it, not with the local clock. */
  serverTime(): Date
}

/** Calls of Notion's API with waits, retries and token renewal. */
export function createNotionCaller(): ProviderCaller {
  return createProviderCaller({
    toProviderError: toNotionError,
    curedByNewToken: (error) => error.code === 'unauthorized',
  })
}

/** A run of one source. Its client does not retry and stops on the session's signal. */
export function createNotionRun(apiUrl: string, session: ProviderSession, caller: ProviderCaller): NotionRun {
  let served: Date | null = null
  const client = createNotionClient(apiUrl, session.limits.requestTimeoutMs, session.signal, (date) => {
    served = date
  })
  return {
    session,
    client,
    call: (attempt) => caller(session, attempt),
    serverTime: () => served ?? session.clock.now(),
  }
}

/** A client for `apiUrl` (replaces `https://api.notion.com`); `onDate` receives the `Date` header of each answer. */
export function createNotionClient(
  apiUrl: string,
  timeoutMs: number,
  signal: AbortSignal,
  onDate: (date: Date) => void = () => undefined,
): Client {
  return new Client({
    baseUrl: apiUrl,
    timeoutMs,
    retry: false,
    logLevel: LogLevel.ERROR,
    // The client logs what it throws.
    logger: () => undefined,
    fetch: async (url, init) => {
      const { method, headers, body } = init ?? {}
      const response = await refuseRedirects(fetch)(url, {
        ...(method === undefined ? {} : { method }),
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      const date = Date.parse(response.headers.get('date') ?? '')
      if (!Number.isNaN(date)) onDate(new Date(date))
      return response
    },
  })
}

/** Translates an SDK error, with Notion's message; null when Notion did not cause it. */
export function toNotionError(error: unknown, now: Date): ProviderError | null {
  if (isHTTPResponseError(error)) return httpError(error, now)
  if (RequestTimeoutError.isRequestTimeoutError(error)) {
    return new ProviderError('unavailable', 'Notion did not answer in time', { cause: error })
  }
  if (isNotionClientError(error))
    return new ProviderError('rejected', error.message, { code: error.code, cause: error })
  // The SDK throws this for a successful answer that is not JSON: a gateway's page.
  if (error instanceof SyntaxError) {
    return new ProviderError('unavailable', 'Notion did not answer with JSON', { cause: error })
  }
  if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
    return new ProviderError('unavailable', `Notion did not answer (${error.message}${cause})`, {
      cause: error,
    })
  }
  return null
}

function httpError(
  error: { status: number; code: string; message: string; headers: unknown; body: string },
  now: Date,
): ProviderError {
  const header = error.headers instanceof Headers ? error.headers.get('retry-after') : null
  const wait = retryAfterMs(header, now)
  const words = oauthWords(error.body) ?? error.message
  const options = { code: error.code, cause: error, ...(wait === undefined ? {} : { retryAfterMs: wait }) }
  // 529 is Notion's own "service overload", with a Retry-After like 429.
  if (error.status === 429 || error.status === 529) return new ProviderError('rate_limited', words, options)
  if (error.status === 401) return new ProviderError('auth', words, options)
  // 501: the route does not exist, so waiting cannot help.
  if (error.status === 501) return new ProviderError('rejected', words, options)
  if (error.status >= 500 || error.status === 408 || error.status === 409) {
    return new ProviderError('unavailable', words, options)
  }
  const refusal = error.code === 'restricted_resource' ? 'access_refused' : null
  return new ProviderError('rejected', words, { ...options, refusal })
}

/** The `error` of an OAuth answer (RFC 6749 §5.2), which the SDK does not read. */
function oauthWords(body: string): string | null {
  // A proxy's page is no JSON.
  const parsed = parseJson(body)
  const isOAuth = typeof parsed === 'object' && parsed !== null && 'error' in parsed
  return isOAuth && typeof parsed.error === 'string' ? parsed.error : null
}

/** Whether an object does not exist for us: deleted permanently, or no longer shared. */
export function isNotFound(error: unknown): boolean {
  return (
    error instanceof ProviderError &&
    (error.code === 'object_not_found' || error.code === 'restricted_resource')
  )
}

/** The same for requests by id. Using a page's id as a data source's, or the reverse, is a validation error. */
export function isNotThere(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ProviderError && error.code === 'validation_error')
}

/** Whether there is no such data source or database, or no route for them. */
export function isUnsupported(error: unknown): boolean {
  return isNotThere(error) || isEndpointMissing(error)
}

/** Whether the route does not exist: an older API version or a gateway answered. */
export function isEndpointMissing(error: unknown): boolean {
  if (!(error instanceof ProviderError) || isNotFound(error)) return false
  if (error.code === 'invalid_request_url') return true
  return isHTTPResponseError(error.cause) && [404, 405, 501].includes(error.cause.status)
}
