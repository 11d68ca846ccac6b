import { AppError } from '../kernel/errors.ts'

/** What went wrong at a model server, in the words that every provider shares. */
export type ProviderFailureKind = 'auth' | 'rate_limited' | 'unavailable' | 'rejected'

/** What a server's error answer is identified by: its error code and its own id of the request. */
export interface AnsweredError {
  code: string | null
  requestId: string | null
}

/**
 * A model server's failure, safe to log: its message has the status, error code and request id of the answer, or our own
 * words. It never has the server's words, which may repeat the documents or the key that were sent.
 */
export class ProviderFailure extends Error {
  readonly kind: ProviderFailureKind
  /** The HTTP status, or null when no answer came. */
  readonly status: number | null

  constructor(kind: ProviderFailureKind, status: number | null, detail: string | AnsweredError) {
    super(
      [status === null ? null : `HTTP ${status}`, typeof detail === 'string' ? detail : shown(detail)]
        .filter((part) => part !== null)
        .join(': ') || 'no reason was given',
    )
    this.name = 'ProviderFailure'
    this.kind = kind
    this.status = status
  }
}

function shown({ code, requestId }: AnsweredError): string | null {
  const parts = [code === null ? [] : `code ${code}`, requestId === null ? [] : `request ${requestId}`].flat()
  return parts.length === 0 ? null : parts.join(', ')
}

/** A code or an id, not a sentence. */
const IDENTIFIER = /^[\w.:-]{1,80}$/
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-goog-request-id']

/** The error code in an error body of the usual shapes, and the request id in its headers; null where there is none. */
export function answeredError(
  body: string,
  headers: { get(name: string): string | null },
  secret: string | undefined,
): AnsweredError {
  const ids = REQUEST_ID_HEADERS.map((name) => identifier(headers.get(name), secret))
  return { code: errorCode(body, secret), requestId: ids.find((id) => id !== null) ?? null }
}

function errorCode(text: string, secret: string | undefined): string | null {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  const error = isRecord(body) ? (body['error'] ?? body) : body
  if (!isRecord(error)) return null
  const codes = [error['code'], error['type'], error['status']].map((code) => identifier(code, secret))
  return codes.find((code) => code !== null) ?? null
}

function identifier(value: unknown, secret: string | undefined): string | null {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && IDENTIFIER.test(text) && text !== secret ? text : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const PUBLIC_MESSAGES: Record<ProviderFailureKind, string> = {
  auth: 'refused the credentials of this deployment; its operator has to mend them',
  rate_limited: 'is limiting requests; try again later',
  unavailable: 'could not be reached or failed; try again later',
  rejected: 'refused the request or gave an answer that cannot be used',
}

/** The failure kind of an HTTP status; no answer at all (null) and one that broke off (below 400) are `unavailable`. */
function failureKind(status: number | null): ProviderFailureKind {
  if (status === null || status < 400 || status >= 500 || status === 408) return 'unavailable'
  if (status === 401 || status === 403) return 'auth'
  return status === 429 ? 'rate_limited' : 'rejected'
}

/**
 * The `upstream_error` for a model server's failure. `provider` is named in the public message ("The embedding model").
 * `detail` is what the server's answer is identified by, or words of our own.
 */
export function providerError(
  provider: string,
  failure: { kind?: ProviderFailureKind; status: number | null; detail: string | AnsweredError },
): AppError {
  const kind = failure.kind ?? failureKind(failure.status)
  const cause = new ProviderFailure(kind, failure.status, failure.detail)
  return new AppError('upstream_error', `${provider} ${PUBLIC_MESSAGES[kind]}.`, { cause })
}
