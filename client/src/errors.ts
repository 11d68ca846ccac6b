import { ERROR_CODES } from './api.ts'

/** A code of the service's closed list. */
export type ErrorCode = (typeof ERROR_CODES)[number]

/**
 * What went wrong, for programs: a code of the service; `http_error` for an error answer that is not the service's own
 * (of a proxy, say) or has a code that this version does not know; `invalid_answer` for a success that is not JSON.
 */
export type MemoryErrorCode = ErrorCode | 'http_error' | 'invalid_answer'

/** A fault of an invalid request. */
export interface Issue {
  /** The field, with dots; empty for the whole request. */
  path: string
  message: string
}

export interface MemoryErrorInit {
  status: number
  code: MemoryErrorCode
  requestId: string | null
  issues: readonly Issue[]
  retryAfter: number | null
  details: Readonly<Record<string, unknown>>
}

/** The service returned an error. */
export class MemoryError extends Error {
  override readonly name: string = 'MemoryError'
  /** The HTTP status; 200 for an answer that failed while it was streamed. */
  readonly status: number
  readonly code: MemoryErrorCode
  /** The request ID in the service's log; quote it in bug reports. */
  readonly requestId: string | null
  /** What is wrong with an invalid request (`validation_failed`); empty otherwise. */
  readonly issues: readonly Issue[]
  /** Seconds to wait before the next attempt; null if the service does not say. */
  readonly retryAfter: number | null
  /** The whole body, with the fields that only some codes have (`limitBytes`, `resetAt`, `index`, …). */
  readonly details: Readonly<Record<string, unknown>>

  constructor(message: string, init: MemoryErrorInit) {
    super(message)
    this.status = init.status
    this.code = init.code
    this.requestId = init.requestId
    this.issues = init.issues
    this.retryAfter = init.retryAfter
    this.details = init.details
  }
}

/** Why there is no complete answer: no connection, no answer in time, or it broke off. */
export type ConnectionFault = 'unreachable' | 'timeout' | 'broken'

/** There is no complete answer. Whether the request took effect is unknown. */
export class MemoryConnectionError extends Error {
  override readonly name: string = 'MemoryConnectionError'
  readonly fault: ConnectionFault

  constructor(message: string, fault: ConnectionFault, options?: { cause?: unknown }) {
    super(message, options)
    this.fault = fault
  }
}

/** The parts of an answer that describe an error. */
export interface AnswerParts {
  status: number
  headers: Headers
  text: string
}

/** The error in an answer. `now` (milliseconds) is needed for a `Retry-After` that is a date. */
export function errorOf({ status, headers, text }: AnswerParts, now: number): MemoryError {
  const details = jsonObject(text) ?? {}
  const message =
    typeof details['error'] === 'string'
      ? details['error']
      : `A proxy or another program answered ${status} instead of the service. Is this the URL of the service?`
  return new MemoryError(message, {
    status,
    code: codeOf(details['code']),
    requestId: headers.get('x-request-id'),
    issues: issuesOf(details['issues']),
    retryAfter: retryAfterOf(headers.get('retry-after'), now),
    details,
  })
}

/** A redirect, which is not followed: `fetch` would drop the key, or turn a POST into a GET. */
export function redirected(answer: AnswerParts, from: { url: string; path: string }): MemoryError {
  const location = answer.headers.get('location') ?? ''
  const base = `${from.url}${from.path}`
  const target = URL.canParse(location, base) ? new URL(location, base).href : location
  const address = target.endsWith(from.path) ? target.slice(0, -from.path.length) : target
  const error = `${from.url} redirects to ${address}; use the address of the service itself`
  return errorOf({ ...answer, text: JSON.stringify({ error }) }, 0)
}

/** A successful response that did not come from the service. */
export function invalidAnswer({ status, headers }: Omit<AnswerParts, 'text'>, what: string): MemoryError {
  return new MemoryError(`${what}. Is this the URL of the service?`, {
    status,
    code: 'invalid_answer',
    requestId: headers.get('x-request-id'),
    issues: [],
    retryAfter: null,
    details: {},
  })
}

/** Parses a JSON object; undefined if the text is not an object. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function codeOf(value: unknown): MemoryErrorCode {
  return ERROR_CODES.find((code) => code === value) ?? 'http_error'
}

function issuesOf(value: unknown): Issue[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((issue: unknown) => {
    if (typeof issue !== 'object' || issue === null || !('path' in issue) || !('message' in issue)) return []
    const { path, message } = issue
    return typeof path === 'string' && typeof message === 'string' ? [{ path, message }] : []
  })
}

/** Whole seconds, or a date, which proxies may send. */
function retryAfterOf(value: string | null, now: number): number | null {
  if (value === null) return null
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - now) / 1000)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}
