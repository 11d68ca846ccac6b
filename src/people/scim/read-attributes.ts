import type { z } from 'zod'
import { findIssues } from '../../kernel/validate.ts'
import { scimError } from './scim-error.ts'

/** @throws AppError `validation_failed` with `invalidValue` and the first fault */
export function readAttributes<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const found = findIssues(schema, body, 'body')
  if ('data' in found) return found.data
  const [fault] = found.issues
  throw scimError('validation_failed', 'invalidValue', fault?.message ?? 'The attributes are not valid')
}
