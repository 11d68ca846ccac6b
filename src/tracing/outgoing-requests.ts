import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Span, Tracer } from '../kernel/tracer.ts'

/** Records a span for every outgoing request inside a trace, with only the host. @returns what stops it */
export function traceOutgoingRequests(tracer: Tracer): () => void {
  const spans = new WeakMap<object, Span>()
  const begin = (request: object, method: string, host: URL | null): void => {
    const address = host === null ? {} : { 'server.address': host.hostname, 'server.port': portOf(host) }
    const attributes = { 'http.request.method': method, ...address }
    spans.set(request, tracer.begin(method, { kind: 'client', attributes }))
  }
  const answered = (request: object, status: unknown): void => {
    if (typeof status === 'number') spans.get(request)?.set({ 'http.response.status_code': status })
  }
  const listeners: [string, (fields: Fields) => void][] = [
    ['undici:request:create', ({ request }) => begin(request, methodOf(request), originOf(request))],
    ['undici:request:headers', ({ request, response }) => answered(request, response?.statusCode)],
    ['undici:request:trailers', ({ request }) => spans.get(request)?.end()],
    ['undici:request:error', ({ request, error }) => spans.get(request)?.end({ error })],
    ['http.client.request.created', ({ request }) => begin(request, methodOf(request), hostOf(request))],
    [
      'http.client.response.finish',
      ({ request, response }) => {
        answered(request, response?.statusCode)
        spans.get(request)?.end()
      },
    ],
    ['http.client.request.error', ({ request, error }) => spans.get(request)?.end({ error })],
  ]
  const subscribed = listeners.map(([channel, listen]) => {
    const onMessage = (message: unknown): void => {
      if (hasRequest(message)) listen(message)
    }
    subscribe(channel, onMessage)
    return () => unsubscribe(channel, onMessage)
  })
  return () => {
    for (const end of subscribed) end()
  }
}

interface Fields {
  request: object
  response?: { statusCode?: unknown }
  error?: unknown
}

function hasRequest(message: unknown): message is Fields {
  return (
    typeof message === 'object' &&
    message !== null &&
    'request' in message &&
    typeof message.request === 'object' &&
    message.request !== null
  )
}

function methodOf(request: object): string {
  return 'method' in request && typeof request.method === 'string' ? request.method : '_OTHER'
}

function originOf(request: object): URL | null {
  return 'origin' in request ? URL.parse(String(request.origin)) : null
}

function hostOf(request: object): URL | null {
  const host = 'host' in request && typeof request.host === 'string' ? request.host : ''
  const protocol = 'protocol' in request && request.protocol === 'http:' ? 'http:' : 'https:'
  const header =
    'getHeader' in request && typeof request.getHeader === 'function' ? request.getHeader('host') : null
  return URL.parse(`${protocol}//${typeof header === 'string' ? header : host}`)
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port)
}
