import type { z } from 'zod'

/** Parses an untrusted value. @returns null if zod throws, as for a hostile `toString` */
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
