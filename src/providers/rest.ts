import { z } from 'zod'
import { parseJson } from '../kernel/parse-json.ts'
import { readUpTo } from '../kernel/read-up-to.ts'
import { followRedirectsBelow } from '../kernel/refuse-redirects.ts'
import { retryAfterMs } from '../kernel/retry-after.ts'
import { createProviderCaller } from './retried-calls.ts'
import { ProviderError, type ProviderSession, returnIf } from './adapter.ts'
import { TOO_LARGE } from './extract-file.ts'

const ANSWER_BYTES_MAX = 32 * 1024 * 1024
const CONNECT_TIMEOUT_MS = 10_000
const CONNECT_ANSWER_BYTES_MAX = 8 * 1024 * 1024

export interface RestRequest {
  url: string | URL
  method?: 'GET' | 'POST' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  body?: string | URLSearchParams
  /** Replaces the limit of an answer. */
  bytesMax?: number
}

export interface RestAnswer {
  status: number
  headers: Headers
  bytes: Buffer
}

export interface RestOptions {
  /** The provider's display name, for messages of our own. */
  name: string
  headers?: Readonly<Record<string, string>>
  /** How the session's token is sent; `Bearer` by default. */
  scheme?: 'Basic' | 'Bearer'
  /** The address under which the provider may redirect GET requests. No redirects by default. */
  redirectsBelow?: string
  /** Replaces the global one, for an address that a user entered. */
  fetch?: typeof fetch
  /** The provider-specific meaning of a refusal; undefined: by its status. `wait` is that of Retry-After. */
  refused?(answer: RestAnswer, words: string, wait: number | undefined): ProviderError | undefined
  /** The failure that a response with a success status reports; undefined: none. `wait` is that of Retry-After. */
  failed?(answer: RestAnswer, wait: number | undefined): ProviderError | undefined
  /** Whether a fresh access token may fix an `auth` failure; by default one with the status 401. */
  curedByNewToken?(error: ProviderError): boolean
}

/**
 * A provider's HTTP API: one request at a time, with waits, token renewal, limits and the provider's own error
 * messages.
 */
export interface Rest {
  /** Sends a request with the session's token, and again if `read` finds the answer `unavailable`. @throws ProviderError */
  read<Result>(
    session: ProviderSession,
    request: RestRequest,
    read: (answer: RestAnswer) => Result,
  ): Promise<Result>
  send(session: ProviderSession, request: RestRequest): Promise<RestAnswer>
  /** The same for a JSON answer, checked against a schema. */
  json<Schema extends z.ZodType>(
    session: ProviderSession,
    request: RestRequest,
    schema: Schema,
  ): Promise<z.output<Schema>>
}

export function createRest(options: RestOptions): Rest {
  const { curedByNewToken = (error) => error.code === '401' } = options
  const call = createProviderCaller({ curedByNewToken })
  const read: Rest['read'] = (session, request, readAnswer) =>
    call(session, async (accessToken) =>
      readAnswer(
        await sendRequest(withToken(request, accessToken, options), options, {
          signal: session.signal,
          timeoutMs: session.limits.requestTimeoutMs,
          bytesMax: Math.max(session.limits.maxDownloadBytes, ANSWER_BYTES_MAX),
          now: session.clock.now(),
        }),
      ),
    )
  return {
    read,
    send: (session, request) => read(session, request, (answer) => answer),
    json: (session, request, schema) =>
      read(session, request, (answer) => parseAnswer(answer, schema, options.name)),
  }
}

/** Sends one request apart from a run, while a user may wait. @throws ProviderError */
export function sendWithToken(
  request: RestRequest,
  token: string,
  options: RestOptions,
  at: { signal: AbortSignal; now: Date },
): Promise<RestAnswer> {
  const limits = { ...at, timeoutMs: CONNECT_TIMEOUT_MS, bytesMax: CONNECT_ANSWER_BYTES_MAX }
  return sendRequest(withToken(request, token, options), options, limits)
}

function withToken(
  request: RestRequest,
  token: string,
  { scheme = 'Bearer' }: Pick<RestOptions, 'scheme'>,
): RestRequest {
  return { ...request, headers: { ...request.headers, authorization: `${scheme} ${token}` } }
}

/** The JSON of a response. A different shape comes from a gateway or a failing server: `unavailable`. */
export function parseAnswer<Schema extends z.ZodType>(
  { bytes }: RestAnswer,
  schema: Schema,
  name: string,
): z.output<Schema> {
  const value = parseJson(bytes.toString('utf8'))
  if (value === undefined) throw new ProviderError('unavailable', `${name} did not answer with JSON`)
  return parseShape(value, schema, name)
}

const Identified = z.union([z.object({ id: z.string().min(1) }), z.object({ number: z.int() })])

/** The same for one object. An object with an id in an unknown format is `rejected`, because others can be read. */
export function parseThing<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
  name: string,
): z.output<Schema> {
  return parseShape(value, schema, name, Identified.safeParse(value).success ? 'rejected' : 'unavailable')
}

/** The address of a next page, which comes from a response: the token must not be sent to another site. */
export function addressBelow(base: string, address: string, name: string): string {
  const href = URL.parse(address)?.href ?? ''
  if (href.startsWith(base)) return href
  throw new ProviderError('rejected', `${name} returned a next page on another site, which is not requested`)
}

const MISSING = Symbol('missing')

/** The object that a request returns, read by {@link parseThing}; null if the provider reports it missing. */
export async function findThing<Schema extends z.ZodType>(
  answer: Promise<unknown>,
  { schema, name, isMissing }: { schema: Schema; name: string; isMissing: (error: unknown) => boolean },
): Promise<z.output<Schema> | null> {
  const value = await answer.catch(returnIf(isMissing, MISSING))
  return value === MISSING ? null : parseThing(value, schema, name)
}

/** A list without entries in an unknown format: one of them must not stop a source. */
export const knownOf = <Schema extends z.ZodType>(schema: Schema) =>
  z.array(z.unknown()).transform((entries) => parseKnown(entries, schema))

export function parseKnown<Schema extends z.ZodType>(
  entries: readonly unknown[],
  schema: Schema,
): z.output<Schema>[] {
  return entries.flatMap((entry) => {
    const parsed = schema.safeParse(entry)
    return parsed.success ? [parsed.data] : []
  })
}

/**
 * The entries of a list whose missing entries would count as deleted, with an error for an entry of another shape.
 */
export function parseEach<Schema extends z.ZodType>(
  entries: readonly unknown[],
  schema: Schema,
  name: string,
): z.output<Schema>[] {
  return entries.map((entry) => parseShape(entry, schema, name))
}

/** A part of a response, checked against a schema. A different shape is an error of `kind`. */
export function parseShape<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
  name: string,
  kind: ProviderError['kind'] = 'unavailable',
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const place = parsed.error.issues[0]?.path.join('.') ?? ''
  throw new ProviderError(kind, `${name} answered in an unknown format (${place})`)
}

/** Sends one request and reads its answer, up to a limit. @throws ProviderError unless 2xx, or a requested 304 */
export async function sendRequest(
  { url, bytesMax, ...request }: RestRequest,
  options: RestOptions,
  limits: { signal: AbortSignal; timeoutMs: number; bytesMax: number; now: Date },
): Promise<RestAnswer> {
  const timeout = AbortSignal.timeout(limits.timeoutMs)
  let answer: RestAnswer
  try {
    const response = await followRedirectsBelow(options.redirectsBelow ?? null, options.fetch ?? fetch)(url, {
      ...request,
      headers: { accept: 'application/json', ...options.headers, ...request.headers },
      signal: AbortSignal.any([limits.signal, timeout]),
    })
    answer = {
      status: response.status,
      headers: response.headers,
      bytes: await readBytes(response.body ?? [], bytesMax ?? limits.bytesMax, `${options.name}'s answer`),
    }
  } catch (error) {
    limits.signal.throwIfAborted()
    if (error instanceof ProviderError) throw error
    throw noAnswer(options.name, error, timeout.aborted)
  }
  const wait = retryAfterMs(answer.headers.get('retry-after'), limits.now)
  if (answer.status >= 300 && answer.status !== 304) throw refusalOf(answer, options, wait)
  const failure = options.failed?.(answer, wait)
  if (failure !== undefined) throw failure
  return answer
}

/** The body of a response, up to a limit. @throws ProviderError */
export async function readBytes(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
  what: string,
): Promise<Buffer> {
  const bytes = await readUpTo(body, most)
  if (bytes !== null) return bytes
  const limit = most < 2 ** 20 ? `${Math.round(most / 1024)} KiB` : `${Math.round(most / 2 ** 20)} MiB`
  throw new ProviderError('rejected', `${what} is larger than ${limit} and is not read`, { code: TOO_LARGE })
}

function noAnswer(name: string, error: unknown, isLate: boolean): ProviderError {
  const words =
    error instanceof Error ? [error.message, reasonOf(error.cause)].filter(Boolean).join(': ') : ''
  return new ProviderError(
    'unavailable',
    isLate ? `${name} did not answer in time` : `${name} did not answer (${words})`,
    {
      cause: error,
    },
  )
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : '')

function refusalOf(answer: RestAnswer, options: RestOptions, wait: number | undefined): ProviderError {
  const words = wordsOf(answer.bytes) ?? `${options.name} answered with status ${answer.status}`
  const own = options.refused?.(answer, words, wait)
  if (own !== undefined) return own
  return new ProviderError(kindOf(answer.status), words, { code: String(answer.status), retryAfterMs: wait })
}

function kindOf(status: number): ProviderError['kind'] {
  if (status === 429) return 'rate_limited'
  if (status === 401) return 'auth'
  if (status === 408 || (status >= 500 && status !== 501)) return 'unavailable'
  return 'rejected'
}

/** The message of an error body in one of the usual shapes. */
function wordsOf(bytes: Buffer): string | undefined {
  const body = parseJson(bytes.toString('utf8'))
  if (typeof body !== 'object' || body === null) return undefined
  const { error_description: description, message, error, errors } = Object.fromEntries(Object.entries(body))
  const nested = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  const { title }: { title?: unknown } = Object(Array.isArray(errors) ? errors[0] : null)
  return [description, message, nested, title].find((words) => typeof words === 'string' && words !== '')
}
