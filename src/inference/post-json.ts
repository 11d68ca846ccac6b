import { setTimeout as delay } from 'node:timers/promises'
import type { AppError } from '../kernel/errors.ts'
import { RedirectRefused, refuseRedirects } from '../kernel/refuse-redirects.ts'
import { type AnsweredError, answeredError, providerError } from './provider-failure.ts'
import { retryAfterMs } from '../kernel/retry-after.ts'

export interface PostJsonRequest {
  /** Starts the sentence of error messages. */
  provider: string
  url: string
  /** Sent as a bearer token. */
  apiKey?: string | undefined
  body: unknown
}

export interface PostJsonOptions {
  fetch: typeof fetch
  /** Per attempt, in milliseconds. */
  timeoutMs: number
  /** Including the first. */
  attemptsMax: number
  /** First delay between attempts; it doubles each time. */
  retryDelayMs: number
  /** A call fails if the server requests a longer delay. */
  retryDelayMaxMs: number
  responseBytesMax: number
  random: () => number
  sleep: (ms: number, signal?: AbortSignal) => Promise<unknown>
}

const DEFAULTS: PostJsonOptions = {
  fetch: (...args) => globalThis.fetch(...args),
  timeoutMs: 30_000,
  attemptsMax: 4,
  retryDelayMs: 500,
  retryDelayMaxMs: 20_000,
  responseBytesMax: 8 * 1024 * 1024,
  random: Math.random,
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
}

interface Failure {
  error: AppError
  retryable: boolean
  /** Requested by the server, in milliseconds. */
  retryAfterMs: number | null
}

/** POSTs, with retries, and returns the JSON response. @throws AppError `upstream_error`, the signal's reason */
export async function postJson(
  request: PostJsonRequest,
  options: Partial<PostJsonOptions> = {},
  signal?: AbortSignal,
): Promise<unknown> {
  const settings = { ...DEFAULTS, ...options }
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(request, settings, signal)
    if ('json' in outcome) return outcome.json
    const backoffMs = settings.retryDelayMs * 2 ** (attempt - 1) * (0.5 + settings.random() / 2)
    const waitMs = outcome.retryAfterMs ?? Math.min(backoffMs, settings.retryDelayMaxMs)
    if (!outcome.retryable || attempt >= settings.attemptsMax || waitMs > settings.retryDelayMaxMs)
      throw outcome.error
    await settings.sleep(waitMs, signal)
  }
}

async function attemptOnce(
  request: PostJsonRequest,
  settings: PostJsonOptions,
  signal?: AbortSignal,
): Promise<{ json: unknown } | Failure> {
  const timeout = AbortSignal.timeout(settings.timeoutMs)
  const fail = (status: number | null, detail: string | AnsweredError, kind?: 'rejected'): AppError =>
    providerError(request.provider, { status, detail, ...(kind ? { kind } : {}) })
  let response: Response
  let text: string
  try {
    response = await refuseRedirects(settings.fetch)(request.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(request.apiKey ? { authorization: `Bearer ${request.apiKey}` } : {}),
      },
      body: JSON.stringify(request.body),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    text = await readText(response, settings.responseBytesMax)
  } catch (error) {
    signal?.throwIfAborted()
    const words = timeout.aborted
      ? `no response within ${settings.timeoutMs} ms`
      : describeNetworkError(error)
    const isFinal = error instanceof ResponseTooLarge || error instanceof RedirectRefused
    return { error: fail(null, words), retryable: !isFinal, retryAfterMs: null }
  }
  if (!response.ok) {
    const retryable = response.status === 408 || response.status === 429 || response.status >= 500
    return {
      error: fail(response.status, answeredError(text, response.headers, request.apiKey)),
      retryable,
      retryAfterMs: retryAfterMs(response.headers.get('retry-after'), new Date()) ?? null,
    }
  }
  try {
    return { json: JSON.parse(text) }
  } catch {
    return {
      error: fail(response.status, 'the response is not JSON', 'rejected'),
      retryable: false,
      retryAfterMs: null,
    }
  }
}

class ResponseTooLarge extends Error {}

async function readText(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new ResponseTooLarge(`the response is over ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** fetch hides the reason (ECONNREFUSED, ENOTFOUND) in the cause. */
function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
