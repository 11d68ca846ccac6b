import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { z } from 'zod'

type JsonObject = Record<string, unknown>

/**
 * A schema as tools show it: JSON Schema without references, which not every client follows, and without the patterns
 * that only repeat a format, which every model would have to read.
 * @param io `input` for what is taken, `output` for what comes back
 */
export function plainJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io })
  return toObject(inline(root, toObject($defs)))
}

/**
 * The schema of a tool that is checked elsewhere: arguments by the route that the tool calls, results by the schema with which
 * that route answers. Checking twice would only give errors in other words.
 */
export function shownSchema(schema: JsonObject): StandardSchemaWithJSON<unknown, unknown> {
  const jsonSchema = (): JsonObject => schema
  return {
    '~standard': {
      version: 1,
      vendor: 'retrieval-memory-service',
      validate: (value) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  }
}

/** The properties of an object's schema, by name. */
export function propertiesOf(schema: JsonObject): JsonObject {
  return toObject(schema['properties'])
}

export function toObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Our schemas name each other without ever coming back to themselves. */
function inline(node: unknown, definitions: JsonObject): unknown {
  if (Array.isArray(node)) return node.map((each) => inline(each, definitions))
  if (typeof node !== 'object' || node === null) return node
  const { $ref, pattern, example, ...rest } = toObject(node)
  const name = typeof $ref === 'string' ? $ref.replace('#/$defs/', '') : undefined
  const referred = name === undefined ? {} : toObject(inline(definitions[name], definitions))
  const own = Object.entries(rest).map(([key, value]) => [key, inline(value, definitions)])
  return {
    ...referred,
    ...Object.fromEntries(own),
    ...(typeof pattern === 'string' && rest['format'] === undefined ? { pattern } : {}),
    ...(typeof example === 'string' ? { examples: [example] } : {}),
  }
}
