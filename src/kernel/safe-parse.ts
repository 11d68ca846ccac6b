import type { z } from 'zod'

/**
 * Parses a value from outside.
 * @returns null if zod throws: it compares the `length` of values that are no text or list too, and fails if that is an object
 * with a `toString` of its own
 */
export function safeParse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  error?: z.core.$ZodErrorMap,
): z.ZodSafeParseResult<z.output<S>> | null {
  try {
    return schema.safeParse(value, error && { error })
  } catch (cause) {
    if (cause instanceof TypeError) return null
    throw cause
  }
}
