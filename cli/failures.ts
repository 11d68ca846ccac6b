import type { MemoryError } from '../client/src/index.ts'

/** A wrong command line: printed without a stack, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** A failure with a message that the user can act on: printed without a stack, exit code 1. */
export class CommandError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'CommandError'
  }
}

/** No response: connection refused, reset, timed out or interrupted. */
export class ConnectionError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ConnectionError'
  }
}

/** The user stopped the command while it waited. */
export class StoppedError extends Error {
  constructor() {
    super('Stopped')
    this.name = 'StoppedError'
  }
}

/** Why a request got no answer, and what to do about it. `cause` is the error of `fetch`. */
export function unreachable(url: string, cause: unknown): string {
  const { origin } = new URL(url)
  const root = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const code = root instanceof Error && 'code' in root ? String(root.code) : ''
  if (code === 'ECONNREFUSED')
    return `Cannot connect to ${origin}. Start the service with "npm start", or set --url or MEMORY_URL.`
  return `The connection to ${origin} failed: ${messageOf(root)}`
}

/** Whether a file or folder does not exist. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The response's error code, or `http_<status>`. */
export function codeOf({ status, details }: MemoryError): string {
  return typeof details['code'] === 'string' ? details['code'] : `http_${status}`
}
