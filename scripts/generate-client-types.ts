import openapiTS, { astToString } from 'openapi-typescript'
import { z } from 'zod'
import { documentFaults, INGEST_LIMITS } from './ingest-facts.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

const Schema = z.json()
/** Without its examples: those of the fields suffice. */
const Media = z.object({ schema: Schema })
const Operation = z.object({
  operationId: z.string(),
  summary: z.string().optional(),
  parameters: Schema.optional(),
  requestBody: z.object({ required: z.boolean(), content: z.record(z.string(), Media) }).optional(),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), Media).optional() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
})
type Operation = z.output<typeof Operation>
const Document = z.object({
  openapi: z.string(),
  info: Schema,
  paths: z.record(z.string(), z.partialRecord(z.enum(METHODS), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
  'x-providers': z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      brings: z.string(),
      icon: z.string(),
      color: z.string(),
      hasChannels: z.boolean(),
      isForFiles: z.boolean(),
    }),
  ),
})
const ErrorSchema = z.object({ properties: z.object({ code: z.object({ enum: z.array(z.string()) }) }) })

const HEADER = `// Written by \`npm run generate\` from openapi/openapi.json: what an API key can call, and every error code.
`

/** The text of a module with the client's request and answer types, and its tables of operations and error codes. */
export async function generatedClientTypes(openApi: string): Promise<string> {
  const { paths, components, 'x-providers': providers, ...head } = Document.parse(JSON.parse(openApi))
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation?.security.some((scheme) => 'apiKey' in scheme) ? [{ path, method, operation }] : []
    }),
  )
  const narrowed: Record<string, Record<string, object>> = {}
  for (const { path, method, operation } of operations)
    narrowed[path] = { ...narrowed[path], [method]: withoutErrors(operation) }
  const schemas = reachedFrom(narrowed, components.schemas)
  const document: unknown = { ...head, paths: narrowed, components: { schemas } }
  // The service fills in defaults, so a request may omit such fields.
  const types = await openapiTS(JSON.stringify(document), { defaultNonNullable: false })
  const table = operations.map(
    ({ path, method, operation }) =>
      `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}' },`,
  )
  const codes = ErrorSchema.parse(components.schemas['Error']).properties.code.enum
  return [
    HEADER,
    '/** Every operation that an API key can call, by its id. */',
    'export const OPERATIONS = {',
    ...table,
    '} as const',
    '',
    '/** Every `code` of an error body. */',
    'export const ERROR_CODES = [',
    ...codes.map((code) => `  '${code}',`),
    '] as const',
    '',
    '/** The limits of a request of ingest. */',
    'export const INGEST_LIMITS = {',
    ...Object.entries(INGEST_LIMITS).map(([name, value]) => `  ${name}: ${value},`),
    '} as const',
    '',
    '/** Errors of ingest about a document. Any other error would occur for the next request too. */',
    'export const DOCUMENT_FAULTS = [',
    ...documentFaults(openApi).map((code) => `  '${code}',`),
    '] as const',
    '',
    '/** The providers of a deployment that does not name others, in the order of the API. */',
    'export const PROVIDERS = [',
    ...providers.map(
      ({ id, name, hasChannels, isForFiles }) =>
        `  { id: '${id}', name: ${quoted(name)}, hasChannels: ${hasChannels}, isForFiles: ${isForFiles} },`,
    ),
    '] as const',
    '',
    '/** A provider: one of these, or another that the deployment names. */',
    "export type Provider = (typeof PROVIDERS)[number]['id'] | (string & {})",
    '',
    astToString(types).replaceAll(providers.map(({ id }) => `"${id}"`).join(' | '), 'Provider'),
  ].join('\n')
}

/** The text of a module with what the console shows of each provider. */
export function generatedProviders(openApi: string): string {
  const { 'x-providers': providers } = Document.parse(JSON.parse(openApi))
  return [
    '// Written by `npm run generate` from openapi/openapi.json: the list of providers.',
    '/** The providers of a deployment without PROVIDERS; the page replaces them when it starts. */',
    'export const DEFAULT_PROVIDERS = [',
    ...providers.flatMap(({ id, name, brings, icon, color, hasChannels, isForFiles }) => [
      '  {',
      `    id: '${id}',`,
      `    name: ${quoted(name)},`,
      `    brings: ${quoted(brings)},`,
      `    icon: '${icon}',`,
      `    color: '${color}',`,
      `    hasChannels: ${hasChannels},`,
      `    isForFiles: ${isForFiles},`,
      '  },',
    ]),
    '] as const',
    '',
  ].join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`
}

/** The client has one shape for all errors, and reads streams itself. */
function withoutErrors({ responses, ...operation }: Operation): object {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const kept = successes.map(([status, { content }]) => {
    const json = content?.['application/json']
    return [status, { description: '', content: json === undefined ? {} : { 'application/json': json } }]
  })
  return { ...operation, responses: Object.fromEntries(kept) }
}

/** The named schemas, and those they reference. */
function reachedFrom(
  root: object,
  schemas: Record<string, z.output<typeof Schema>>,
): Record<string, z.output<typeof Schema>> {
  const reached = new Set<string>()
  const visit = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (reached.has(name)) continue
      reached.add(name)
      visit(JSON.stringify(schemas[name]))
    }
  }
  visit(JSON.stringify(root))
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => reached.has(name)))
}
