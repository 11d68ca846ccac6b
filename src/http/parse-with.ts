import type { z } from 'zod'
import { validationError } from '../kernel/errors.ts'

/** What a schema makes of a value. @throws AppError `validation_failed` with the issues. */
export function parseWith(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw validationError(
    result.error.issues.map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message })),
  )
}
