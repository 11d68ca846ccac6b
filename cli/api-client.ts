import type { z } from 'zod'
import { ApiError, CommandError, ConnectionError, messageOf } from './failures.ts'

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, beginning with `/`. */
  path: string
  body?: unknown
  /** False for what needs no key. */
  authenticated?: boolean
  accept?: string
  /** Beside those that every request has. */
  headers?: Readonly<Record<string, string>>
}

/** A client of the service's HTTP API. */
export interface ApiClient {
  readonly url: string
  /** @throws ApiError, ConnectionError, CommandError (no key; an answer of another shape) */
  call<T>(schema: z.ZodType<T>, request: ApiRequest): Promise<T>
  /** The response of a request that succeeded, unread. @throws as `call` */
  open(request: ApiRequest): Promise<Response>
}

/** A key in the clear is only in the hands of who was given it: the service keeps a hash. */
const NO_KEY = `No API key. Pass --key svc_… or set MEMORY_API_KEY.
The service printed its admin key when it first started, and keeps only a hash of it. If that key is lost, stop the
service and start it once with BOOTSTRAP_ADMIN_KEY=svc_… (at least 32 characters after svc_) to set a new one.`

/** Long enough for a batch of documents to be embedded by a slow model. */
const REQUEST_TIMEOUT_MS = 180_000

/**
 * A client for the service at `url` (its origin, perhaps with a path) that presents `key`; as a person's in the workspace
 * `organizationId`, where that is given.
 */
export function createApiClient(options: {
  url: string
  key: string | undefined
  organizationId?: string
}): ApiClient {
  const url = options.url.replace(/\/+$/, '')
  const open = async (request: ApiRequest): Promise<Response> => {
    const headers: Record<string, string> = {
      ...request.headers,
      accept: request.accept ?? 'application/json',
    }
    if (request.authenticated !== false) {
      if (!options.key) throw new CommandError(NO_KEY)
      headers.authorization = `Bearer ${options.key}`
    }
    if (options.organizationId !== undefined) headers['x-organization-id'] = options.organizationId
    if (request.body !== undefined) headers['content-type'] = 'application/json'
    const response = await send(`${url}${request.path}`, {
      method: request.method,
      headers,
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    if (!response.ok) throw await toApiError(response)
    return response
  }
  return {
    url,
    open,
    async call(schema, request) {
      const response = await open(request)
      const parsed = schema.safeParse(await readJson(response))
      if (!parsed.success) {
        throw new CommandError(`${url} answered in a shape that is not this service's. Is --url right?`)
      }
      return parsed.data
    },
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    throw new ConnectionError(connectionMessage(url, error), { cause: error })
  }
}

function connectionMessage(url: string, error: unknown): string {
  const { origin } = new URL(url)
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `${origin} did not answer within ${REQUEST_TIMEOUT_MS / 1000} s`
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'ECONNREFUSED') {
    return `No service answers at ${origin}. Start it with "npm start", or name another with --url or MEMORY_URL.`
  }
  return `The connection to ${origin} failed: ${messageOf(cause)}`
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw new ConnectionError(`The connection to ${response.url} broke off: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

async function toApiError(response: Response): Promise<ApiError> {
  const body = await readJson(response)
  const fields = typeof body === 'object' && body !== null ? { ...body } : {}
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(response.status, fields, Number.isFinite(retryAfter) ? Math.max(0, retryAfter) : null)
}
