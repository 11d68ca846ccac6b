import { type ErrorCode, ERRORS } from './error-codes.ts'
import { clipped } from './text.ts'

export interface AppErrorOptions {
  details?: Record<string, unknown>
  headers?: Record<string, string>
  /** Logged, never sent. */
  cause?: unknown
  /** What an operator needs to explain a refusal. Logged at info, never sent. */
  facts?: Record<string, unknown>
}

/** An error with a stable code and a public message. Only `code`, `message`, `details` and `headers` are sent. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>
  readonly facts: Record<string, unknown> | null

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.status = ERRORS[code].http
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
    this.facts = options.facts ?? null
  }
}

/** `path` is dotted, `''` for the whole body; `message` is a full sentence that names the field. */
export interface ValidationIssue {
  path: string
  message: string
}

/** Field names come from the caller and can be a megabyte long. */
const ISSUE_CHARACTERS_MAX = 600

/** A 400 that lists the faults of a request. `count` is the total when `issues` holds only some of them. */
export function validationError(issues: readonly ValidationIssue[], count = issues.length): AppError {
  const shown = issues.map(({ path, message }) => ({
    path: clipped(path, ISSUE_CHARACTERS_MAX),
    message: clipped(message, ISSUE_CHARACTERS_MAX),
  }))
  const more = count > 1 ? ` (and ${count - 1} more)` : ''
  return new AppError('validation_failed', `${shown[0]?.message ?? 'The request is not valid'}${more}`, {
    details: { issues: shown },
  })
}

/** A startup fault that the operator must fix. The process prints it without a stack and exits with code 1. */
export class StartupError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'StartupError'
  }
}
