import type { z } from 'zod'
import {
  Memory,
  MemoryConnectionError,
  MemoryError,
  type RawAnswer,
  type RawRequest,
  type RequestOptions,
  type RetryPolicy,
} from '../client/src/index.ts'
import { CommandError, ConnectionError, messageOf, unreachable, UsageError } from './failures.ts'
import { parseJson } from './parse-json.ts'

export interface ApiRequest extends Omit<RawRequest, 'body' | 'idempotent'> {
  body?: unknown
  /** False for requests without a key. */
  authenticated?: boolean
  /** How a failed request is retried; never when absent. */
  retry?: Partial<RetryPolicy>
  signal?: AbortSignal
}

/** A client of the service's HTTP API that words failures for the command line. */
export interface ApiClient {
  readonly url: string
  /** The JSON of a route that the client library lacks. @throws as `send`; CommandError for another shape */
  call<T>(schema: z.ZodType<T>, request: ApiRequest): Promise<T>
  /** @throws MemoryError, ConnectionError, CommandError (no key, or the required wait is too long) */
  send(request: ApiRequest): Promise<RawAnswer>
  /** The result of a method of the client library, called with `retry` if given. @throws as `call` */
  use<T>(
    schema: z.ZodType<T>,
    act: (memory: Memory, options: RequestOptions) => Promise<unknown>,
    retry?: Partial<RetryPolicy>,
  ): Promise<T>
  /** The client library's features beyond single requests. @throws CommandError without a key */
  memory(): Memory
  /** Validates a result of the library. @throws CommandError when it has a different shape */
  check<T>(schema: z.ZodType<T>, value: unknown): T
  /** Converts a library error to the one `send` would throw. */
  failureOf(error: unknown, manner?: 'patient'): unknown
}

/** The service stores only a hash of a key, so it cannot show one again. */
const NO_KEY = `No API key. Pass --key svc_… or set MEMORY_API_KEY.
The service printed its admin key when it first started, and keeps only a hash of it. If that key is lost, stop the
service and start it once with BOOTSTRAP_ADMIN_KEY=svc_… (at least 32 characters after svc_) to set a new one.`

/** Long enough for a slow model to embed a batch of documents. */
const REQUEST_TIMEOUT_MS = 180_000

/**
 * A client for the service at `url` (its origin, possibly with a path) that presents `key`; with `organizationId` it
 * acts as a user in that workspace. @throws UsageError for a malformed URL or key
 */
export function createApiClient(options: {
  url: string
  key: string | undefined
  organizationId?: string
}): ApiClient {
  const organization =
    options.organizationId === undefined ? {} : { 'x-organization-id': options.organizationId }
  const shared = {
    url: options.url,
    timeoutMs: REQUEST_TIMEOUT_MS,
    retry: false,
    headers: organization,
  } as const
  const anonymous = open({ ...shared, apiKey: null }, (cause) => `--url or MEMORY_URL: ${messageOf(cause)}`)
  const { url } = anonymous
  const withKey = options.key
    ? open({ ...shared, apiKey: options.key }, (cause) => `The API key is malformed: ${messageOf(cause)}`)
    : undefined
  const memory = (): Memory => {
    if (withKey === undefined) throw new CommandError(NO_KEY)
    return withKey
  }
  const failureOf: ApiClient['failureOf'] = (error, manner) =>
    manner === 'patient' && isRateLimit(error) ? tooLongAWait(error) : failureIn(url, error)
  const check: ApiClient['check'] = (schema, value) => {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw new CommandError(`The response from ${url} is not from this service. Is --url right?`)
  }
  const send: ApiClient['send'] = async ({ body, authenticated, retry, signal, ...request }) => {
    const sender = authenticated === false ? anonymous : memory()
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    try {
      return await sender.send({ ...request, ...text }, { ...(retry === undefined ? {} : { retry }), signal })
    } catch (error) {
      throw failureOf(error, retry === undefined ? undefined : 'patient')
    }
  }
  return {
    url,
    memory,
    send,
    check,
    failureOf,
    async use(schema, act, retry) {
      try {
        return check(schema, await act(memory(), { retry }))
      } catch (error) {
        throw failureOf(error, retry === undefined ? undefined : 'patient')
      }
    },
    call: async (schema, request) => check(schema, parseJson((await send(request)).text)),
  }
}

function open(
  options: ConstructorParameters<typeof Memory>[0],
  describe: (cause: unknown) => string,
): Memory {
  try {
    return new Memory(options)
  } catch (cause) {
    throw new UsageError(describe(cause))
  }
}

/** Converts a client library error into one for the command line. */
function failureIn(url: string, error: unknown): unknown {
  if (error instanceof MemoryConnectionError)
    return new ConnectionError(connectionMessage(url, error), { cause: error })
  if (error instanceof MemoryError && error.code === 'invalid_answer')
    return new CommandError(`The response from ${url} is not from this service. Is --url right?`, {
      cause: error,
    })
  return error
}

/** Why no answer came, and what to do about it. */
export function connectionMessage(url: string, { fault, cause }: MemoryConnectionError): string {
  const { origin } = new URL(url)
  if (fault === 'timeout') return `${origin} did not answer within ${REQUEST_TIMEOUT_MS / 1000} s`
  const root = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  if (fault === 'broken')
    return `The connection to ${origin} was interrupted${root === undefined ? '' : `: ${messageOf(root)}`}`
  return unreachable(url, cause)
}

/** A rate limit, where waiting helps, as opposed to an exhausted budget. */
export function isRateLimit(error: unknown): error is MemoryError {
  return error instanceof MemoryError && error.status === 429 && error.code !== 'quota_exceeded'
}

/** The service asks for a longer wait than the command allows. */
function tooLongAWait(error: MemoryError): CommandError {
  const seconds = Math.max(1, error.retryAfter ?? 1)
  return new CommandError(`The service is limiting requests: try again in ${seconds} s`, { cause: error })
}
