import { type Deadline, startDeadline } from './deadline.ts'
import {
  type ConnectionFault,
  errorOf,
  invalidAnswer,
  jsonObject,
  MemoryConnectionError,
  redirected,
} from './errors.ts'
import { type AnyInput, addressOf, type Input, type OperationId, type Output } from './operations.ts'
import { changed, DEFAULT_RETRIES, type RetryChanges, withRetries } from './retries.ts'

export interface TransportOptions {
  /** The key; null for routes that need none. */
  apiKey: string | null
  /** The address of the service: its origin, and a path if it has one. */
  url: string
  /** The time for a whole answer, or between two pieces of a streamed one, in milliseconds. */
  timeoutMs?: number | undefined
  /** Changes the retries of failed requests; false turns them off. */
  retry?: RetryChanges | false | undefined
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined
  fetch?: typeof fetch | undefined
}

/** Options of one call. Missing ones come from the client. */
export interface RequestOptions {
  /** Cancels the call, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  retry?: RetryChanges | false | undefined
}

type CallOptions = RequestOptions & Pick<RawRequest, 'idempotent'>

/** A request to any route of the service. */
export interface RawRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, starting with `/`. */
  path: string
  /** JSON as text. */
  body?: string | undefined
  accept?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Whether it may be repeated when its outcome is unknown. By default, everything except POST may. */
  idempotent?: boolean | undefined
}

export interface RawAnswer {
  status: number
  headers: Headers
  text: string
}

/** A successful response whose body is still arriving. */
export interface OpenAnswer {
  status: number
  headers: Headers
  /** The text in pieces. @throws MemoryConnectionError if it breaks off */
  pieces(): AsyncGenerator<string>
}

/** Sends requests and reads answers. Every method throws like `send`. */
export interface Transport {
  readonly url: string
  call<Id extends OperationId>(id: Id, input: Input<Id>, options?: CallOptions): Promise<Output<Id>>
  /** @throws MemoryError, MemoryConnectionError, the reason of the signal */
  send(request: RawRequest, options?: RequestOptions): Promise<RawAnswer>
  /** The response must have the type that `accept` names. */
  open(request: RawRequest, options?: RequestOptions): Promise<OpenAnswer>
}

/** Long enough for a slow model to embed a large request. */
const TIMEOUT_MS = 180_000

/** A response whose body is not read yet, with its deadline. */
interface Begun {
  response: Response
  deadline: Deadline
  /** The error to throw if reading it fails. */
  faultOf(error: unknown): unknown
}

/** @throws TypeError for a key or an address that cannot be one */
export function createTransport(given: TransportOptions): Transport {
  const url = checkedUrl(given.url)
  const authorization = authorizationOf(given.apiKey)
  const fetchFrom = given.fetch ?? fetch
  const policy = changed(DEFAULT_RETRIES, given.retry)

  /** Sends once and waits for the response's headers. Its reader releases the deadline. */
  async function begin(request: RawRequest, options: RequestOptions, now: () => number): Promise<Begun> {
    options.signal?.throwIfAborted()
    const timeoutMs = options.timeoutMs ?? given.timeoutMs ?? TIMEOUT_MS
    const deadline = startDeadline(timeoutMs, options.signal)
    const faultOf = (error: unknown, fault: ConnectionFault): unknown => {
      if (options.signal?.aborted) return options.signal.reason
      if (deadline.hasPassed) return connectionError('timeout', url, timeoutMs, error)
      return connectionError(fault, url, timeoutMs, error)
    }
    const headers = { ...authorization, ...given.headers, ...headersOf(request) }
    const body = request.body === undefined ? {} : { body: request.body }
    const init = {
      method: request.method,
      headers,
      ...body,
      signal: deadline.signal,
      redirect: 'manual',
    } as const
    try {
      const response = await fetchFrom(`${url}${request.path}`, init).catch((error: unknown) => {
        throw faultOf(error, 'unreachable')
      })
      const begun = { response, deadline, faultOf: (error: unknown) => faultOf(error, 'broken') }
      if (!response.ok) {
        const answer = await readWhole(begun)
        throw headersNameTarget(answer)
          ? redirected(answer, { url, path: request.path })
          : errorOf(answer, now())
      }
      return begun
    } catch (error) {
      deadline.release()
      throw error
    }
  }

  async function repeat<T>(
    request: RawRequest,
    options: RequestOptions,
    read: (begun: Begun) => Promise<T>,
  ): Promise<T> {
    const own = changed(policy, options.retry)
    const idempotent = request.idempotent ?? request.method !== 'POST'
    return await withRetries(async () => await read(await begin(request, options, own.now)), {
      policy: own,
      idempotent,
      signal: options.signal,
    })
  }

  const send: Transport['send'] = (request, options = {}) => repeat(request, options, readWhole)
  return {
    url,
    send,
    open: (request, options = {}) => repeat(request, options, (begun) => openPieces(begun, request.accept)),
    async call<Id extends OperationId>(id: Id, input: Input<Id>, options: CallOptions = {}) {
      const { idempotent, ...others } = options
      const { body, ...address }: AnyInput = input
      const text = body === undefined ? undefined : JSON.stringify(body)
      return parseAnswer<Id>(await send({ ...addressOf(id, address), body: text, idempotent }, others))
    },
  }
}

const headersNameTarget = ({ status, headers }: RawAnswer): boolean =>
  status >= 300 && status < 400 && headers.has('location')

/** @throws TypeError when it is not an absolute http or https URL to which paths can be added */
function checkedUrl(given: string): string {
  const url = given.trim()
  const { protocol, search, hash, username, password } = URL.canParse(url) ? new URL(url) : new URL('none:')
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError(`url must be the http or https address of the service, not "${url}"`)
  if (search + hash + username + password !== '')
    throw new TypeError(
      'url must be the http or https address of the service, without user, query and fragment',
    )
  return url.replace(/\/+$/, '')
}

/** @throws TypeError for an invalid key, without showing it */
function authorizationOf(apiKey: string | null): Record<string, string> {
  if (apiKey === null) return {}
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be an API key, which begins with svc_')
  return { authorization: `Bearer ${apiKey}` }
}

function headersOf({ accept, body, headers }: RawRequest): Record<string, string> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  return { accept: accept ?? 'application/json', ...type, ...headers }
}

function connectionError(
  fault: ConnectionFault,
  url: string,
  timeoutMs: number,
  cause: unknown,
): MemoryConnectionError {
  switch (fault) {
    case 'timeout':
      return new MemoryConnectionError(`${url} did not answer within ${timeoutMs / 1000} s`, fault, { cause })
    case 'broken':
      return new MemoryConnectionError(`The response from ${url} was interrupted`, fault, { cause })
    case 'unreachable':
      return new MemoryConnectionError(`The connection to ${url} failed`, fault, { cause })
  }
}

async function readWhole({ response, deadline, faultOf }: Begun): Promise<RawAnswer> {
  try {
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch (error) {
    throw faultOf(error)
  } finally {
    deadline.release()
  }
}

async function openPieces({ response, deadline, faultOf }: Begun, type = ''): Promise<OpenAnswer> {
  const { status, headers } = response
  if (!headers.get('content-type')?.startsWith(type)) {
    deadline.release()
    await response.body?.cancel().catch(() => undefined)
    throw invalidAnswer(response, `The response is not ${type}`)
  }
  async function* pieces(): AsyncGenerator<string> {
    const reader = response.body?.getReader()
    if (reader === undefined) return deadline.release()
    const decoder = new TextDecoder()
    let isOver = false
    try {
      while (!isOver) {
        deadline.renew()
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw faultOf(error)
        })
        isOver = done
        // The caller may take any time with a piece.
        deadline.pause()
        yield decoder.decode(value, { stream: !done })
      }
    } finally {
      deadline.release()
      // The reader stopped early, so the service can stop too. After a failure, there is nothing to cancel.
      if (!isOver) await reader.cancel().catch(() => undefined)
    }
  }
  return { status, headers, pieces }
}

/** The JSON of a success. @throws MemoryError if it is not an object */
export function parseAnswer<Id extends OperationId>(answer: RawAnswer): Output<Id> {
  if (jsonObject(answer.text) === undefined) throw invalidAnswer(answer, 'The response is not JSON')
  // The service validates its answers against the schemas that the types come from.
  return JSON.parse(answer.text)
}
