import type { components } from './schema.d.ts'

/** The service's error codes, and two codes for failures without a readable response. */
export type ErrorCode = components['schemas']['Error']['code'] | 'offline' | 'unreadable'

type Issue = NonNullable<components['schemas']['Error']['issues']>[number]

/** An error with the service's message and the request ID that its log uses. */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** The HTTP status; 0 without a response. */
  readonly status: number
  readonly requestId: string | null
  readonly issues: readonly Issue[]
  /** The delay before a retry that the service asks for; null if it names none. */
  readonly retryAfterMs: number | null

  constructor(given: {
    code: ErrorCode
    message: string
    status: number
    requestId: string | null
    issues?: readonly Issue[]
    retryAfterMs?: number | null
    cause?: unknown
  }) {
    super(given.message, { cause: given.cause })
    this.name = 'ApiError'
    this.code = given.code
    this.status = given.status
    this.requestId = given.requestId
    this.issues = given.issues ?? []
    this.retryAfterMs = given.retryAfterMs ?? null
  }
}

/** Builds the error of an unsuccessful response; `body` is its parsed JSON, if any. */
export function errorOf(response: Response, body: unknown): ApiError {
  const requestId = response.headers.get('x-request-id')
  const { status } = response
  if (isErrorBody(body))
    return new ApiError({
      code: body.code,
      message: body.error,
      status,
      requestId,
      issues: body.issues ?? [],
      retryAfterMs: retryAfterOf(response),
    })
  const message = `The service returned status ${status} with an unexpected body. Check for a proxy in between.`
  return new ApiError({ code: 'unreadable', message, status, requestId })
}

function retryAfterOf({ headers }: Response): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

/** The error of a request without a response. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError({
    code: 'offline',
    message: 'The service is unreachable. Check your connection and whether the service runs.',
    status: 0,
    requestId: null,
    cause,
  })
}

function isErrorBody(body: unknown): body is components['schemas']['Error'] {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'string' &&
    'code' in body &&
    typeof body.code === 'string'
  )
}
