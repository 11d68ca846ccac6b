import { z } from 'zod'

/** An example of a schema: its own, or one composed from its parts. Omits parts without an example. */
export function exampleOf(schema: z.core.$ZodType): unknown {
  const own = z.globalRegistry.get(schema)?.['example']
  if (own !== undefined) return own
  if (schema instanceof z.ZodObject) return exampleOfObject(schema)
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element)]
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue
  if (schema instanceof z.ZodOptional) return z.globalRegistry.get(schema.def.innerType)?.['example']
  if (schema instanceof z.ZodNullable) return exampleOf(schema.def.innerType)
  if (schema instanceof z.ZodUnion) return schema.options.map(exampleOf)[0]
  // The input form, as a caller sends it.
  if (schema instanceof z.ZodPipe) return exampleOf(schema.def.in)
  if (schema instanceof z.ZodEnum) return schema.options[0]
  if (schema instanceof z.ZodLiteral) return schema.def.values[0]
  return undefined
}

function exampleOfObject({ shape }: z.ZodObject): Record<string, unknown> {
  const parts = Object.entries(shape).map(([name, part]) => [name, exampleOf(part)] as const)
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined))
}
