import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { type ErrorCode, ERRORS } from '../kernel/error-codes.ts'
import { ERRORS_PATH } from './error-response.ts'
import type { Route } from './route.ts'

const ErrorResponse = z
  .looseObject({
    error: z.string().describe('What went wrong and what to do about it.'),
    code: z
      .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
      .describe('Stable error code for programs.'),
    documentation: z.url().describe('Link to the explanation of the code.'),
    issues: z
      .array(
        z.object({
          path: z.string().describe('Dotted path of the field; empty for the whole request.'),
          message: z.string().describe('What is wrong.'),
        }),
      )
      .optional()
      .describe('The errors of an invalid request.'),
  })
  .meta({ id: 'Error', description: 'The body of every error.' })

const ERROR_DESCRIPTIONS: Record<string, string> = {
  '400': 'The request is not valid.',
  '401': 'The bearer token is missing or invalid.',
  '402': 'The workspace has no active plan.',
  '403': 'The key lacks the action, or the person the role.',
  '404': 'There is no such resource.',
  '408': 'The request did not arrive in time.',
  '409': 'The request conflicts with the current state.',
  '413': 'The body is too large.',
  '415': 'The body is not JSON.',
  '429': 'The rate limit or the credit budget is exceeded.',
  '502': 'An upstream service failed.',
  '503': 'The service cannot do this now, or is not configured for it.',
}

/** Errors that any address can return. */
const ANYWHERE: readonly ErrorCode[] = [
  'internal',
  'method_not_allowed',
  'headers_too_large',
  'origin_not_allowed',
]

export function errors<S>(route: Route<S>): ZodOpenApiOperationObject['responses'] {
  const codesByStatus = Map.groupBy(errorCodes(route), (code) => String(ERRORS[code].http))
  const responses: ZodOpenApiOperationObject['responses'] = {}
  for (const [status, codes] of [...codesByStatus].toSorted(([a], [b]) => Number(a) - Number(b))) {
    responses[status as '400'] = {
      description: ERROR_DESCRIPTIONS[status] ?? 'An error.',
      content: errorContent(codes),
    }
  }
  responses['default'] = { description: 'Any other error.', content: errorContent(ANYWHERE) }
  return responses
}

/** The errors of a route: from the pipeline, from its inputs and cost, and from its own work. */
function errorCodes<S>({ access, body, upload, params, credits, refuses }: Route<S>): ErrorCode[] {
  const codes = new Set<ErrorCode>()
  const add = (...more: ErrorCode[]): void => more.forEach((code) => codes.add(code))
  // Every route refuses unknown query parameters, and none works without the database or during a stop.
  add('validation_failed', 'not_ready', 'overloaded')
  if (body) add('malformed_json')
  if (body || upload !== undefined) add('request_timeout', 'body_too_large', 'unsupported_media_type')
  if (params) add('not_found')
  if (access.surface !== 'public') add('unauthenticated')
  if (access.surface === 'agent') add('action_not_allowed', 'rate_limited')
  if (access.surface === 'console') add('role_required', 'rate_limited', 'not_found')
  if (credits > 0) add('subscription_required', 'quota_exceeded')
  add(...refuses)
  return [...codes]
}

/** An example for each code, under its name. */
function errorContent(codes: readonly ErrorCode[]) {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }] as const)
  return { 'application/json': { schema: ErrorResponse, examples: Object.fromEntries(examples) } }
}

export function errorExamples(url: string) {
  const bodies = Object.entries(ERRORS).map(([code, { http: _http, error, ...fields }]) => {
    const documentation = `${url}${ERRORS_PATH}#${code}`
    return [code, { summary: error, value: { error, code, documentation, ...fields } }] as const
  })
  return Object.fromEntries(bodies)
}
