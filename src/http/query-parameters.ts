import { z } from 'zod'
import { validationError } from '../kernel/errors.ts'

/**
 * Refuses query parameters that a route does not have: they are almost always a typo. A route whose schema is a loose
 * object takes any: somebody else, a provider say, writes its address.
 * @throws AppError `validation_failed` that names those the route has
 */
export function refuseUnknownParameters(schema: z.ZodType | undefined, query: unknown): void {
  if (schema !== undefined && !(schema instanceof z.ZodObject)) return
  if (schema?.def.catchall instanceof z.ZodUnknown) return
  const known = Object.keys(schema?.shape ?? {})
  const unknown = Object.keys(typeof query === 'object' && query !== null ? query : {}).filter(
    (name) => !known.includes(name),
  )
  if (unknown.length === 0) return
  const takes = known.length === 0 ? 'which takes none' : `which takes ${known.join(', ')}`
  throw validationError(
    unknown.map((path) => ({ path, message: `is no query parameter of this route, ${takes}` })),
  )
}
