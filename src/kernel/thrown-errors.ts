/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Any thrown value as an `Error`. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown))
}

/** An error's code, such as a system error's or a SQLSTATE; '' without one. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

/** For `catch`: null if there is no such file; rethrows anything else. */
export function nullIfMissing(thrown: unknown): null {
  if (codeOf(thrown) === 'ENOENT') return null
  throw thrown
}
