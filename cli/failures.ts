/** A wrong command line: printed without a stack, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** What cannot be done, in words that a person can act on: printed without a stack, exit code 1. */
export class CommandError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'CommandError'
  }
}

/** An error answer of the service: its message, its stable code and its structured fields. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly body: Record<string, unknown>
  /** How long the service asks to wait; null when it does not. */
  readonly retryAfterSeconds: number | null

  constructor(status: number, body: Record<string, unknown>, retryAfterSeconds: number | null) {
    super(typeof body.error === 'string' ? body.error : `The service answered ${status}`)
    this.name = 'ApiError'
    this.status = status
    this.code = typeof body.code === 'string' ? body.code : `http_${status}`
    this.body = body
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No answer at all: refused, reset, timed out or broken off. */
export class ConnectionError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ConnectionError'
  }
}

/** The person stopped the command while it waited. */
export class StoppedError extends Error {
  constructor() {
    super('Stopped')
    this.name = 'StoppedError'
  }
}

/** The words of any thrown thing. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
