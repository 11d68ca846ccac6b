import { AppError } from '../kernel/errors.ts'
import { parseJson } from '../kernel/parse-json.ts'

/** Failure kinds common to all model servers. */
export type ProviderFailureKind = 'auth' | 'rate_limited' | 'unavailable' | 'rejected'

/** What identifies a server's error response: its error code and its request id. */
export interface AnsweredError {
  code: string | null
  requestId: string | null
}

/** A model server's failure, safe to log: status, code and request id, never its words, which may repeat the key. */
export class ProviderFailure extends Error {
  readonly kind: ProviderFailureKind
  /** The HTTP status; null: no response. */
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

/** Whether the server refused this request, so that the same one would fail again. */
export function isRejection(error: unknown): boolean {
  return error instanceof ProviderFailure && error.kind === 'rejected'
}

function shown({ code, requestId }: AnsweredError): string | null {
  const parts = [code === null ? [] : `code ${code}`, requestId === null ? [] : `request ${requestId}`].flat()
  return parts.length === 0 ? null : parts.join(', ')
}

/** A code or an id, not a sentence. */
const IDENTIFIER = /^[\w.:-]{1,80}$/
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-goog-request-id']

/** The error code from an error body of the usual shapes and the request id from the headers; null: missing. */
export function answeredError(
  body: string,
  headers: { get(name: string): string | null },
  secret: string | undefined,
): AnsweredError {
  const ids = REQUEST_ID_HEADERS.map((name) => identifier(headers.get(name), secret))
  return { code: errorCode(body, secret), requestId: ids.find((id) => id !== null) ?? null }
}

function errorCode(text: string, secret: string | undefined): string | null {
  const parsed = parseJson(text)
  const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed
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
  auth: 'rejected the credentials of this deployment; its operator must correct them',
  rate_limited: 'is limiting requests; try again later',
  unavailable: 'could not be reached or failed; try again later',
  rejected: 'refused the request or returned an unusable response',
}

/** The failure kind of an HTTP status. No response (null) and an interrupted one (below 400) are `unavailable`. */
function failureKind(status: number | null): ProviderFailureKind {
  if (status === null || status < 400 || status >= 500 || status === 408) return 'unavailable'
  if (status === 401 || status === 403) return 'auth'
  return status === 429 ? 'rate_limited' : 'rejected'
}

/** The `upstream_error` for a model server's failure. The public message names `provider`; `detail` the response. */
export function providerError(
  provider: string,
  failure: { kind?: ProviderFailureKind; status: number | null; detail: string | AnsweredError },
): AppError {
  const kind = failure.kind ?? failureKind(failure.status)
  const cause = new ProviderFailure(kind, failure.status, failure.detail)
  return new AppError('upstream_error', `${provider} ${PUBLIC_MESSAGES[kind]}.`, { cause })
}
