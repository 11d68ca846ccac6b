import { AddressNotAllowed } from '../../guarded-requests/addresses.ts'
import type { OpenRequest } from '../../guarded-requests/guarded-request.ts'
import { retryAfterMs } from '../../kernel/retry-after.ts'
import { VERSION } from '../../kernel/version.ts'
import { ProviderError } from '../adapter.ts'
import { readBytes } from '../rest.ts'

/** How robots.txt calls this crawler. */
export const AGENT = 'RetrievalMemoryService'
const HEADERS = {
  'user-agent': `${AGENT}/${VERSION}`,
  accept: 'text/html, application/xhtml+xml, text/plain, text/markdown, application/pdf;q=0.9, */*;q=0.5',
  'accept-encoding': 'identity',
}

export interface PageAnswer {
  status: number
  header(name: string): string | null
  bytes: Buffer
}

export interface FetchOptions {
  headers?: Readonly<Record<string, string>>
  bytesMax: number
  timeoutMs: number
  signal: AbortSignal
  now: Date
}

export type FetchPage = (url: URL, options: FetchOptions) => Promise<PageAnswer>

/** Requests one page. Redirects are answers, so that their targets are checked first. @throws ProviderError */
export function createFetchPage(open: OpenRequest): FetchPage {
  return async (url, { headers, bytesMax, timeoutMs, signal, now }) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await open(url, {
        method: 'GET',
        headers: { ...HEADERS, ...headers },
        signal: AbortSignal.any([signal, timeout]),
      })
      const status = answer.statusCode ?? 0
      const header = (name: string): string | null => oneOf(answer.headers[name])
      try {
        refuse(status, header('retry-after'), now)
        if (status !== 200) return { status, header, bytes: Buffer.alloc(0) }
        requireUncompressed(url, header('content-encoding'))
        return { status, header, bytes: await readBytes(answer, bytesMax, 'The page') }
      } finally {
        answer.destroy()
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ProviderError) throw error
      throw failureOf(url, error, timeout.aborted)
    }
  }
}

function refuse(status: number, retryAfter: string | null, now: Date): void {
  const wait = retryAfterMs(retryAfter, now)
  const details = { code: String(status), retryAfterMs: wait }
  if (status === 429 || (status === 503 && wait !== undefined))
    throw new ProviderError('rate_limited', `The site asked to wait (status ${status})`, details)
  if (status === 408 || status >= 500)
    throw new ProviderError('unavailable', `The site answered with status ${status}`, details)
}

/** A server may label a file that is itself compressed, such as a sitemap. @throws ProviderError */
function requireUncompressed({ pathname }: URL, encoding: string | null): void {
  const isLabeled = /\.gz$/i.test(pathname) && /^(?:x-)?gzip$/i.test(encoding ?? '')
  if (encoding !== null && encoding.toLowerCase() !== 'identity' && !isLabeled)
    throw new ProviderError('rejected', 'The page is compressed, although an uncompressed one was requested')
}

function failureOf({ host }: URL, error: unknown, isLate: boolean): ProviderError {
  if (error instanceof AddressNotAllowed)
    return new ProviderError('rejected', `${host} is not at a public address, so it is not read`, {
      cause: error,
    })
  if (isLate) return new ProviderError('unavailable', `${host} did not answer in time`, { cause: error })
  const words = error instanceof Error ? error.message : 'no answer'
  return new ProviderError('unavailable', `${host} did not answer (${words})`, { cause: error })
}

const oneOf = (value: string | string[] | undefined): string | null =>
  value === undefined ? null : Array.isArray(value) ? value.join(', ') : value
