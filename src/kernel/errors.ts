import { ERROR_CODES, type ErrorCode } from './error-codes.ts'

export interface AppErrorOptions {
  /** Structured fields that leave with the error body. */
  details?: Record<string, unknown>
  /** Response headers that leave with the error. */
  headers?: Record<string, string>
  /** What happened inside; logged, never sent. */
  cause?: unknown
  /** What an operator needs to find the reason of a refusal; logged at info, never sent. */
  facts?: Record<string, unknown>
}

/**
 * An error with a public message that a person can act on and a stable code.
 * Only `code`, `message`, `details` and `headers` leave the service; `cause` and `facts` are for the log.
 */
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
    this.status = ERROR_CODES[code]
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
    this.facts = options.facts ?? null
  }
}

/**
 * One fault of a request, as listed in the `issues` of a validation error. `path` is dotted, `''` for the whole body;
 * `message` is a sentence of its own that names it.
 */
export interface ValidationIssue {
  path: string
  message: string
}

/** An error is for reading: names in it come from the caller, and may be a megabyte long. */
const ISSUE_CHARACTERS_MAX = 600

/** The 400 that lists the faults found in a request; `count` is their number where not all are given. */
export function validationError(issues: readonly ValidationIssue[], count = issues.length): AppError {
  const shown = issues.map(({ path, message }) => ({ path: clip(path), message: clip(message) }))
  const more = count > 1 ? ` (and ${count - 1} more)` : ''
  return new AppError('validation_failed', `${shown[0]?.message ?? 'The request is not valid'}${more}`, {
    details: { issues: shown },
  })
}

function clip(text: string): string {
  return text.length <= ISSUE_CHARACTERS_MAX ? text : `${text.slice(0, ISSUE_CHARACTERS_MAX).toWellFormed()}…`
}

/** A startup fault that the operator has to mend: printed without a stack, exit code 1. */
export class StartupError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'StartupError'
  }
}
