/** The words of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Whether it is an error with this code, such as a system error. */
export function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code
}

/** For `catch`: null if there is no such file; rethrows anything else. */
export function nullIfMissing(thrown: unknown): null {
  if (hasCode(thrown, 'ENOENT')) return null
  throw thrown
}
