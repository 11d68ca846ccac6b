import { z } from 'zod'
import { storableJson } from '../kernel/text.ts'
import { refuseUnknown } from '../kernel/validate.ts'

/** Refuses query parameters that a route does not have. @throws AppError `validation_failed` */
export function refuseUnknownParameters(schema: z.ZodType | undefined, query: unknown): void {
  if (schema !== undefined && !(schema instanceof z.ZodObject)) return
  if (schema?.def.catchall instanceof z.ZodUnknown) return
  const known = Object.keys(schema?.shape ?? {})
  const given = Object.keys(typeof query === 'object' && query !== null ? query : {})
  const unknown = given.filter((name) => !known.includes(name))
  refuseUnknown('query', unknown, known)
}

/** The query parameters with storable values. Names stay unchanged: one that is not storable is unknown. */
export function cleanParameters(query: unknown): Record<string, unknown> {
  const given = Object.entries(typeof query === 'object' && query !== null ? query : {})
  return Object.fromEntries(given.map(([name, value]) => [name, storableJson(value)]))
}
