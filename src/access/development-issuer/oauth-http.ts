import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLoopback } from '../../kernel/loopback.ts'

const BODY_BYTES_MAX = 16_384
/** Headers that proxies add: behind a proxy, the caller may be on another machine. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded(-.*)?)$/

/** A request that cannot be served, as an OAuth 2.0 error (RFC 6749, 5.2). */
export class OAuthRefusal extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, description: string, status = 400) {
    super(description)
    this.name = 'OAuthRefusal'
    this.code = code
    this.status = status
  }
}

/** Why a request does not come from this machine (a proxy or a web page of another origin); null when it does. */
export function whyNotLocal({ headers, httpVersion }: IncomingMessage, publicUrl: string): string | null {
  const host = headers.host ?? ''
  if (!isLoopback(host.replace(/:\d+$/, ''))) return 'it accepts only loopback host names'
  const proxied = Object.keys(headers).find((name) => FORWARDED.test(name))
  if (proxied !== undefined) return `it does not accept proxied requests, and this one has ${proxied}`
  if (httpVersion === '1.0') return 'it does not accept proxied requests, and this one uses HTTP/1.0'
  const { origin } = headers
  if (origin !== undefined && !isOwnOrigin(origin, host, publicUrl))
    return 'it does not accept requests from pages of other origins'
  return null
}

function isOwnOrigin(origin: string, host: string, publicUrl: string): boolean {
  return origin === `http://${host}` || origin === new URL(publicUrl).origin
}

/** The parameters of a form or query by name. @throws OAuthRefusal for one that appears twice (RFC 6749, 3.1) */
export function singleParameters(parameters: URLSearchParams): ReadonlyMap<string, string> {
  const single = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (single.has(name)) throw new OAuthRefusal('invalid_request', `${name.slice(0, 40)} appears twice`)
    single.set(name, value)
  }
  return single
}

/** @throws OAuthRefusal */
export async function readForm(request: IncomingMessage): Promise<ReadonlyMap<string, string>> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new OAuthRefusal('invalid_request', 'Send a form: application/x-www-form-urlencoded')
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request) {
    const buffer = Buffer.from(piece)
    bytes += buffer.length
    if (bytes > BODY_BYTES_MAX) throw new OAuthRefusal('invalid_request', 'The form is too large', 413)
    pieces.push(buffer)
  }
  return singleParameters(new URLSearchParams(Buffer.concat(pieces).toString('utf8')))
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
  })
  response.end(JSON.stringify(body))
}

/** Redirects the browser with these parameters added; undefined ones are left out. */
export function sendBrowser(
  response: ServerResponse,
  to: string,
  parameters: Record<string, string | undefined>,
): void {
  const url = new URL(to)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  response.writeHead(302, { Location: url.href, 'Cache-Control': 'no-store' })
  response.end()
}
