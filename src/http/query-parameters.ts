import { z } from 'zod'
import { refuseUnknown } from '../kernel/validate.ts'

/**
 * Refuses query parameters that a route does not have: they are almost always a typo. A route whose schema is a loose
 * object takes any: somebody else, a provider say, writes its address.
 * @throws AppError `validation_failed` that names those the route has
 */
export function refuseUnknownParameters(schema: z.ZodType | undefined, query: unknown): void {
  if (schema !== undefined && !(schema instanceof z.ZodObject)) return
  if (schema?.def.catchall instanceof z.ZodUnknown) return
  const known = Object.keys(schema?.shape ?? {})
  const given = Object.keys(typeof query === 'object' && query !== null ? query : {})
  const unknown = given.filter((name) => !known.includes(name))
  refuseUnknown('query', unknown, known)
}
