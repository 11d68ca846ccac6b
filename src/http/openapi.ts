import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { ERROR_CODES, type ErrorCode } from '../kernel/error-codes.ts'
import type { Access, Route } from './route.ts'

const ErrorResponse = z
  .looseObject({
    error: z.string().meta({ description: 'What went wrong and what to do about it.' }),
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Error', description: 'The body of every error.' })

const WorkspaceHeader = z.object({
  'X-Organization-Id': z
    .uuid()
    .optional()
    .meta({ description: 'The workspace; may be left out by who belongs to one only.' }),
})

const RATE_HEADERS = {
  'X-RateLimit-Limit': {
    schema: { type: 'integer' as const },
    description: 'Requests a minute for this key and action.',
  },
  'X-RateLimit-Remaining': {
    schema: { type: 'integer' as const },
    description: 'Requests left in the rolling minute.',
  },
  'X-RateLimit-Reset': {
    schema: { type: 'string' as const, format: 'date-time' },
    description: 'When the window is free again.',
  },
}

/** The OpenAPI 3.1 document of a route table (https://spec.openapis.org/oas/v3.1.1). */
export function openApiDocument<S>(routes: readonly Route<S>[], info: { version: string; url: string }) {
  const paths: ZodOpenApiPathsObject = {}
  for (const route of routes) {
    const path = (paths[route.path] ??= {})
    path[methodKey(route.method)] = operation(route)
  }
  return createDocument({
    openapi: '3.1.1',
    info: {
      title: 'Retrieval Memory Service',
      version: info.version,
      description:
        "An organization's documents as searchable memory for agents: search, context contracts and cited answers.",
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: info.url }],
    paths,
    components: {
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
}

function methodKey(method: Route<unknown>['method']): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  switch (method) {
    case 'GET':
      return 'get'
    case 'POST':
      return 'post'
    case 'PUT':
      return 'put'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
  }
}

function operation<S>(route: Route<S>): ZodOpenApiOperationObject {
  const params = route.params instanceof z.ZodObject ? { path: route.params } : {}
  const query = route.query instanceof z.ZodObject ? { query: route.query } : {}
  const header = route.access.surface === 'console' ? { header: WorkspaceHeader } : {}
  const requestParams = { ...params, ...query, ...header }
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    security: security(route.access),
    ...(Object.keys(requestParams).length > 0 ? { requestParams } : {}),
    ...(route.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }
      : {}),
    responses: { ...successes(route), ...errors(route) },
  }
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
  }
}

function successes<S>(route: Route<S>): ZodOpenApiOperationObject['responses'] {
  const limited = route.access.surface === 'agent' || route.access.surface === 'console'
  const responses: ZodOpenApiOperationObject['responses'] = {}
  for (const [status, schema] of Object.entries(route.responses)) {
    responses[`${Number(status)}` as '200'] = {
      description: SUCCESS[Number(status)] ?? 'OK',
      ...(limited ? { headers: RATE_HEADERS } : {}),
      content: {
        'application/json': { schema },
        ...(route.streams ? { 'text/event-stream': { schema: { type: 'string' as const } } } : {}),
      },
    }
  }
  return responses
}

const SUCCESS: Record<number, string> = { 200: 'OK', 201: 'Created', 202: 'Already under way' }

const ERROR_CONTENT = { 'application/json': { schema: ErrorResponse } }

const ERROR_DESCRIPTIONS: Record<string, string> = {
  '400': 'The request is not valid.',
  '401': 'The bearer token is missing or invalid.',
  '402': 'The workspace has no active plan.',
  '403': 'The key lacks the action, or the person the role.',
  '404': 'There is no such resource.',
  '409': 'The request conflicts with how things are now.',
  '413': 'The body is too large.',
  '415': 'The body is not JSON.',
  '429': 'The rate limit or the credit budget is exceeded.',
  '502': 'Another service that is needed failed.',
  '503': 'The service cannot do this now, or is not configured for it.',
}

function errors<S>(route: Route<S>): ZodOpenApiOperationObject['responses'] {
  const statuses = new Set<string>()
  if (route.body || route.query) statuses.add('400')
  if (route.body) statuses.add('413').add('415')
  if (route.params) statuses.add('404')
  if (route.access.surface !== 'public') statuses.add('401')
  if (route.access.surface === 'agent' || route.access.surface === 'console') statuses.add('403').add('429')
  if (route.access.surface === 'console') statuses.add('400').add('404')
  if (route.credits === 1) statuses.add('402')
  for (const code of route.refuses) statuses.add(String(ERROR_CODES[code]))
  const responses: ZodOpenApiOperationObject['responses'] = {}
  for (const status of [...statuses].toSorted()) {
    responses[status as '400'] = {
      description: ERROR_DESCRIPTIONS[status] ?? 'An error.',
      content: ERROR_CONTENT,
    }
  }
  responses['default'] = { description: 'Any other error.', content: ERROR_CONTENT }
  return responses
}
