import { z } from 'zod'
import { documentFaults, INGEST_LIMITS } from './ingest-facts.ts'

/** The parts of JSON Schema that the generator reads; Python's types cannot express the rest. */
interface Schema {
  $ref?: string | undefined
  type?: string | string[] | undefined
  enum?: unknown[] | undefined
  const?: unknown
  anyOf?: Schema[] | undefined
  oneOf?: Schema[] | undefined
  items?: Schema | undefined
  properties?: Record<string, Schema> | undefined
  required?: string[] | undefined
  additionalProperties?: Schema | boolean | undefined
  description?: string | undefined
}
const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    items: Schema.optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), Schema]).optional(),
    description: z.string().optional(),
  }),
)
const Content = z.object({ 'application/json': z.object({ schema: Schema }).optional() })
const Operation = z.object({
  operationId: z.string(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), required: z.boolean().optional(), schema: Schema }))
    .default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ content: Content.optional() })),
  security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
})
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const Document = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(METHODS), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
  'x-providers': z.array(z.object({ id: z.string() })),
})

const HEADER = `# Written by \`npm run generate\` from openapi/openapi.json: what an API key can call, and every error code.
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
`
const PLAIN_TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}
/** Words that cannot name a field in a class body. */
const KEYWORDS = new Set([
  'from',
  'import',
  'class',
  'def',
  'return',
  'in',
  'is',
  'not',
  'and',
  'or',
  'with',
  'as',
  'pass',
])

/** The Python client's request and answer types, and its tables of operations and error codes. */
export function generatedPythonTypes(openApi: string): string {
  const { paths, components, 'x-providers': providers } = Document.parse(JSON.parse(openApi))
  const ids = providers.map(({ id }) => JSON.stringify(id)).join(', ')
  const writer = new PythonTypes(components.schemas)
  const table: string[] = []
  for (const [path, item] of Object.entries(paths))
    for (const method of METHODS) {
      const operation = item[method]
      if (!operation?.security.some((scheme) => 'apiKey' in scheme)) continue
      table.push(`    "${operation.operationId}": ("${method.toUpperCase()}", "${path}"),`)
      writeOperation(operation, writer)
    }
  const codes = components.schemas['Error']?.properties?.['code']?.enum ?? []
  return [
    HEADER,
    '# Every operation that an API key can call: method and path by its ID.',
    'OPERATIONS: dict[str, tuple[str, str]] = {',
    ...table,
    '}',
    '',
    'ErrorCode = Literal[',
    ...codes.map((code) => `    ${JSON.stringify(code)},`),
    ']',
    '',
    '# The limits of a request of ingest.',
    ...Object.entries(INGEST_LIMITS).map(([name, value]) => `INGEST_${constantOf(name)} = ${value}`),
    '',
    '# Errors of ingest about a document. Any other error would occur for the next request too.',
    'DOCUMENT_FAULTS = frozenset(',
    `    {${documentFaults(openApi)
      .map((code) => JSON.stringify(code))
      .join(', ')}}`,
    ')',
    '',
    '# A provider: one of these, or another that the deployment names.',
    `Provider = Literal[${ids}] | str`,
    '',
    ...writer.texts().map((text) => text.replaceAll(`Literal[${ids}]`, 'Provider')),
  ].join('\n')
}

/** A module of the synchronous client from that of the asynchronous one, which has the same methods. */
export function synchronousModule(asynchronous: string): string {
  return asynchronous
    .replace(
      /.*\n/,
      '"""Written by `npm run generate` from `_async_resources.py`: the same, synchronous."""\n',
    )
    .replaceAll(/\basync (?=for|def)|\bawait /g, '')
    .replaceAll(/Async(?=Iterator|Transport)/g, '')
}

/** `requestBytes` as `REQUEST_BYTES_MAX`. */
const constantOf = (name: string): string => `${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}_MAX`

function writeOperation(
  { operationId, parameters, requestBody, responses }: z.output<typeof Operation>,
  writer: PythonTypes,
) {
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  const query = parameters.filter((parameter) => parameter.in === 'query')
  if (query.length > 0)
    writer.name(`${name}Query`, {
      type: 'object',
      properties: Object.fromEntries(query.map((parameter) => [parameter.name, parameter.schema])),
      required: query.filter(({ required }) => required === true).map((parameter) => parameter.name),
    })
  const body = requestBody?.content['application/json']?.schema
  if (body !== undefined) writer.name(`${name}Request`, body)
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const answer = success?.content?.['application/json']?.schema
  if (answer !== undefined) writer.name(`${name}Answer`, answer)
}

const isClass = (text: string): boolean => text.startsWith('\nclass')

/** A module's classes and aliases by name. */
class PythonTypes {
  readonly #schemas: Readonly<Record<string, Schema>>
  readonly #written = new Map<string, string>()

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas
  }

  /** Writes a class or an alias of this name. */
  name(name: string, schema: Schema): void {
    if (schema.$ref === undefined) {
      this.#define(name, schema)
      return
    }
    if (this.#written.has(name)) return
    const target = this.#typeOf(schema, name)
    if (target !== name) this.#written.set(name, `${name} = ${target}\n`)
  }

  /** Classes in the order of their first use, then the aliases, which need them. */
  texts(): string[] {
    const texts = [...this.#written.values()].filter((text) => text !== '')
    return [...texts.filter(isClass), ...texts.filter((text) => !isClass(text))]
  }

  /** The type of a schema. `place` names the class of an unnamed object. */
  #typeOf(schema: Schema, place: string): string {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.slice('#/components/schemas/'.length)
      const target = this.#schemas[name]
      if (target === undefined) throw new Error(`${schema.$ref} is not in the document`)
      this.#define(name, target)
      return name
    }
    const members = schema.anyOf ?? schema.oneOf
    if (members !== undefined)
      return union(members.map((member, at) => this.#typeOf(member, `${place}${at === 0 ? '' : at + 1}`)))
    if (schema.const !== undefined) return literal([schema.const])
    if (schema.enum !== undefined) return literal(schema.enum)
    const types = [schema.type ?? 'any'].flat()
    return union(types.map((type) => PLAIN_TYPES[type] ?? this.#collection(type, schema, place)))
  }

  #collection(
    type: string,
    { items, properties, additionalProperties, ...schema }: Schema,
    place: string,
  ): string {
    if (type === 'array') return `list[${items === undefined ? 'Any' : this.#typeOf(items, `${place}Item`)}]`
    if (type !== 'object') return 'Any'
    if (properties !== undefined) {
      this.#define(place, { properties, ...schema })
      return place
    }
    const values = additionalProperties
    return `dict[str, ${typeof values === 'object' ? this.#typeOf(values, `${place}Value`) : 'Any'}]`
  }

  #define(name: string, schema: Schema): void {
    if (this.#written.has(name)) return
    // Reserves its place among the classes, and ends the recursion of a schema that references itself.
    this.#written.set(name, '')
    const { properties, required = [], description } = schema
    if (properties === undefined) {
      this.#written.set(name, `${name} = ${this.#typeOf(schema, `${name}Value`)}\n`)
      return
    }
    const fields = Object.entries(properties).map(([field, value]) => {
      if (KEYWORDS.has(field)) throw new Error(`${name}.${field} cannot be a field of a Python class`)
      const type = this.#typeOf(value, name + field.charAt(0).toUpperCase() + field.slice(1))
      return `    ${field}: ${required.includes(field) ? type : `NotRequired[${type}]`}`
    })
    const doc = description === undefined ? [] : [`    """${description.replaceAll('"""', "'''")}"""`, '']
    const lines = [
      '',
      `class ${name}(TypedDict):`,
      ...doc,
      ...(fields.length > 0 ? fields : ['    pass']),
      '',
    ]
    this.#written.set(name, lines.join('\n'))
  }
}

function literal(values: readonly unknown[]): string {
  const named = values.filter((value) => value !== null).map(pythonLiteral)
  const types = named.length > 0 ? [`Literal[${named.join(', ')}]`] : []
  return union(values.includes(null) ? [...types, 'None'] : types)
}

function pythonLiteral(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}
