import { z } from 'zod'
import {
  createDocument,
  type oas32,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { exampleOf } from './examples.ts'
import { errorExamples, errors } from './openapi-errors.ts'
import { tagGroupsOf, tagsOf } from './openapi-tags.ts'
import { RATE_HEADERS } from './rate-headers.ts'
import type { Access, Route } from './route.ts'

const WorkspaceHeader = z.object({
  'X-Organization-Id': z
    .uuid()
    .optional()
    .meta({ description: 'The workspace; required only for people with several.' }),
})

export interface OpenApiWebhook {
  name: string
  summary: string
  payload: z.ZodType
}

/** The OpenAPI 3.1 document of a route table (https://spec.openapis.org/oas/v3.1.1), with the service's webhooks. */
export function openApiDocument<S>(
  routes: readonly Route<S>[],
  info: {
    version: string
    url: string
    webhooks?: readonly OpenApiWebhook[]
    /** The document's extensions, by name (https://spec.openapis.org/oas/v3.1.1#specification-extensions). */
    extensions?: Readonly<Record<`x-${string}`, unknown>>
  },
) {
  const paths: ZodOpenApiPathsObject = {}
  for (const route of routes) {
    const path = (paths[route.path] ??= {})
    path[METHOD_KEYS[route.method]] = operation(route)
  }
  const document = createDocument({
    ...info.extensions,
    openapi: '3.1.1',
    info: {
      title: 'Retrieval Memory Service',
      version: info.version,
      description:
        "Your company's documents as memory for agents: search, context and cited answers.\n\n" +
        '**To try an operation**, enter an API key (`svc_…`) under Authentication. The first start prints one; admins ' +
        'create more on the Developers page of the [console](/console/). Console operations require the token of a ' +
        'signed-in person, operator operations the `OPERATOR_TOKEN`.\n\n' +
        'IDs in the examples are made up. `GET /v1/sources` lists your sources, whose `id` is `connectorId` elsewhere; ' +
        '`GET /v1/source-items` lists stored items. The [guide](/guide/) explains tasks and concepts, and ' +
        '[/llms.txt](/llms.txt) contains the same for language models.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this deployment', url: info.url },
    },
    tags: tagsOf(routes),
    'x-tagGroups': tagGroupsOf(routes),
    servers: [{ url: info.url }],
    paths,
    webhooks: Object.fromEntries((info.webhooks ?? []).map((webhook) => [webhook.name, sent(webhook)])),
    components: {
      examples: errorExamples(info.url),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `svc_…`.' },
        console: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: "An identity provider's token.",
        },
        operator: { type: 'http', scheme: 'bearer', description: 'The `OPERATOR_TOKEN`.' },
      },
    },
  })
  for (const path of Object.values(document.paths ?? {})) {
    for (const method of Object.values(METHOD_KEYS)) showExamples(path[method]?.parameters ?? [])
  }
  return document
}

const SIGNATURE_HEADERS = z.object({
  'webhook-id': z.string().describe('The same for every attempt. Skip IDs that you have already processed.'),
  'webhook-timestamp': z.string().describe('When this attempt was made, in seconds since 1970.'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and the HMAC-SHA256 of ID, timestamp and body in base64; several are separated by spaces, and one must match.',
    ),
})

/** A request in the form that the service sends, by Standard Webhooks. */
function sent({ name, summary, payload }: OpenApiWebhook): { post: ZodOpenApiOperationObject } {
  return {
    post: {
      summary,
      description: 'Signed, and retried for three days until your server answers 2xx.',
      operationId: `webhook.${name}`,
      tags: ['Events'],
      security: [],
      requestParams: { header: SIGNATURE_HEADERS },
      requestBody: { required: true, content: { 'application/json': withExample(payload) } },
      responses: {
        '2XX': {
          description: 'Delivered. Anything else is retried, except 410, which disables the webhook.',
        },
      },
    },
  }
}

/** Tools look for a parameter's example outside its schema, and otherwise fill in the first allowed value. */
function showExamples(parameters: readonly (oas32.ParameterObject | oas32.ReferenceObject)[]): void {
  for (const parameter of parameters) {
    const given = 'schema' in parameter ? parameter.schema : undefined
    if (typeof given !== 'object' || !('example' in given)) continue
    const { example, ...schema } = given
    Object.assign(parameter, { example, schema })
  }
}

const METHOD_KEYS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

function operation<S>(route: Route<S>): ZodOpenApiOperationObject {
  const params = route.params instanceof z.ZodObject ? { path: route.params } : {}
  const query = route.query instanceof z.ZodObject ? { query: route.query } : {}
  const header = route.access.surface === 'console' ? { header: WorkspaceHeader } : {}
  const requestParams = { ...params, ...query, ...header }
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, callersOf(route)].filter((text) => text !== undefined).join('\n\n'),
    tags: [route.tag],
    security: security(route.access),
    ...(Object.keys(requestParams).length > 0 ? { requestParams } : {}),
    ...(route.body
      ? {
          requestBody: {
            required: !route.bodyOptional,
            content: { 'application/json': withExample(route.body) },
          },
        }
      : {}),
    ...uploadOf(route),
    responses: { ...successes(route), ...errors(route) },
  }
}

function callersOf<S>({ access, credits }: Route<S>): string {
  const cost = credits === 0 ? '' : ' A successful call costs 1 credit.'
  switch (access.surface) {
    case 'public':
      return 'Requires no token.'
    case 'agent':
      return `Requires an API key with the action \`${access.action}\`.${cost}`
    case 'console':
      return `Requires the token of a person with the role ${access.role} or higher in the workspace.${cost}`
    case 'user':
      return 'Requires the token of a signed-in person.'
    case 'operator':
      return 'Requires the operator token.'
    case 'scim':
      return 'Requires a SCIM token of the workspace.'
  }
}

function uploadOf<S>({ upload }: Route<S>): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (upload === undefined) return {}
  const schema = { type: 'string' as const, contentMediaType: 'application/octet-stream' }
  return { requestBody: { description: upload, required: true, content: { '*/*': { schema } } } }
}

function security(access: Access): Record<string, string[]>[] {
  switch (access.surface) {
    case 'public':
      return []
    case 'agent':
      return [{ apiKey: [access.action] }]
    case 'console':
      return [{ console: [access.role] }]
    case 'user':
      return [{ console: [] }]
    case 'operator':
      return [{ operator: [] }]
    case 'scim':
      return []
  }
}

function successes<S>(route: Route<S>): ZodOpenApiOperationObject['responses'] {
  const limited = route.access.surface === 'agent' || route.access.surface === 'console'
  const responses: ZodOpenApiOperationObject['responses'] = {}
  if (Object.keys(route.responses).length === 0) responses['3XX'] = { description: 'Redirects the browser.' }
  for (const [status, schema] of Object.entries(route.responses)) {
    responses[`${Number(status)}` as '200'] = {
      description: SUCCESS[Number(status)] ?? 'OK',
      ...(limited ? { headers: RATE_HEADERS } : {}),
      content: {
        ...(route.downloads.length === 0 ? { 'application/json': withExample(schema) } : {}),
        ...Object.fromEntries(route.downloads.map((type) => [type, withExample(schema)])),
        ...(route.streams ? { 'text/event-stream': { schema: { type: 'string' as const } } } : {}),
      },
    }
  }
  return responses
}

const SUCCESS: Record<number, string> = { 200: 'OK', 201: 'Created', 202: 'Already queued or running' }

function withExample(schema: z.ZodType): { schema: z.ZodType; example?: unknown } {
  const example = exampleOf(schema)
  return example === undefined ? { schema } : { schema, example }
}
