import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { IngestDocument } from '../../client/src/index.ts'

export interface SeenRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: unknown
}

export interface CannedResponse {
  status: number
  body: unknown
  headers?: Record<string, string>
}

/** A small real HTTP server with the service's API, backed by memory. */
export interface EmulatedService {
  url: string
  key: string
  sourceId: string
  items: Map<string, IngestDocument>
  requests: SeenRequest[]
  /** Called first to override the answer; undefined leaves it to the service. */
  intercept: (request: SeenRequest) => CannedResponse | 'reset' | 'hang' | undefined
  close(): Promise<void>
}

const SOURCE_ID = '6f2cd5ff-70a3-4a34-9d5b-0d1a6f6f8d01'
const PUSHED_ITEM = '00000000-0000-4000-8000-000000000001'
const KEY = 'svc_test_key'

const source = {
  id: SOURCE_ID,
  provider: 'google_drive',
  status: 'active',
  displayName: 'Google Drive (push)',
  externalAccountId: 'push:google_drive',
  lastSyncedAt: null,
  errorMessage: null,
  channelAllowlist: null,
  sourceItemCount: 3,
  policyHealth: null,
  createdAt: '2026-11-01T10:00:00.000Z',
  updatedAt: '2026-11-01T10:00:00.000Z',
}

const otherSource = {
  ...source,
  id: '6f2cd5ff-70a3-4a34-9d5b-0d1a6f6f8d02',
  displayName: 'Team Drive',
  externalAccountId: 'team@example.com',
  status: 'error',
  errorMessage: 'The grant was revoked',
}

export const API_KEY = {
  id: '6f2cd5ff-70a3-4a34-9d5b-0d1a6f6f8d99',
  name: 'Robot',
  prefix: 'svc_abcdefgh',
  actorType: 'agent',
  allowedActions: ['search', 'ask'],
  allowedProviders: null,
  lastUsedAt: null,
  createdAt: '2026-11-01T10:00:00.000Z',
}

export const HIT = {
  sourceItemId: PUSHED_ITEM,
  title: 'PTO \u001b[31mpolicy',
  content: 'Employees accrue 25 days of paid time off. '.repeat(30).trim(),
  url: 'https://example.com/pto',
  provider: 'google_drive',
  score: 0.4213,
  metadata: { path: 'handbook/pto.md' },
  syncedAt: '2026-11-01T10:00:00.000Z',
}

export const ANSWER = {
  question: 'how many days?',
  answer: 'Employees get 25 days [1].',
  citations: [{ index: 1, sourceItemId: PUSHED_ITEM, title: 'PTO policy' }],
  limitations: [],
  context: [HIT],
}

/** Starts the emulated service on a free port of 127.0.0.1. */
export async function startEmulatedService(): Promise<EmulatedService> {
  const service: EmulatedService = {
    url: '',
    key: KEY,
    sourceId: SOURCE_ID,
    items: new Map(),
    requests: [],
    intercept: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    service.requests.push(seen)
    const canned = service.intercept(seen)
    if (canned === 'reset') request.socket.destroy()
    else if (canned !== 'hang') send(response, canned ?? respond(service, seen))
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  service.url = `http://127.0.0.1:${address.port}`
  return service
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(Buffer.from(piece))
  return pieces.length === 0 ? undefined : JSON.parse(Buffer.concat(pieces).toString('utf8'))
}

function send(response: ServerResponse, answer: CannedResponse): void {
  const isText = typeof answer.body === 'string'
  const type = isText ? 'text/event-stream' : 'application/json'
  response.writeHead(answer.status, { 'content-type': type, ...answer.headers })
  response.end(isText ? answer.body : JSON.stringify(answer.body))
}

function respond(service: EmulatedService, request: SeenRequest): CannedResponse {
  const url = new URL(request.path, service.url)
  if (url.pathname === '/readyz') return { status: 200, body: { status: 'ready' } }
  if (request.headers.authorization !== `Bearer ${KEY}`) {
    return { status: 401, body: { error: 'Unknown API key', code: 'unauthenticated' } }
  }
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /v1/sources':
      return { status: 200, body: { sources: [otherSource, source] } }
    case 'POST /v1/ingest':
      return ingest(service, request.body)
    case 'DELETE /v1/source-items':
      return remove(service, url.searchParams.get('externalId') ?? '')
    case 'POST /v1/search':
      return { status: 200, body: { query: 'q', hits: [HIT] } }
    case 'POST /v1/ask':
      return String(request.headers.accept).includes('event-stream')
        ? streamed()
        : { status: 200, body: ANSWER }
    case 'GET /v1/api-keys':
      return { status: 200, body: { apiKeys: [API_KEY] } }
    case 'POST /v1/api-keys':
      return { status: 201, body: { apiKey: API_KEY, secret: 'svc_the_secret' } }
    case `DELETE /v1/api-keys/${API_KEY.id}`:
      return { status: 200, body: { apiKey: API_KEY, revokedAt: '2026-11-01T10:00:00.000Z' } }
    default:
      return { status: 404, body: { error: 'Not found', code: 'not_found' } }
  }
}

function isIngestBody(body: unknown): body is { documents: IngestDocument[] } {
  return typeof body === 'object' && body !== null && 'documents' in body && Array.isArray(body.documents)
}

function ingest(service: EmulatedService, body: unknown): CannedResponse {
  if (!isIngestBody(body))
    return { status: 400, body: { error: 'documents: required', code: 'validation_failed' } }
  const isSame = (document: IngestDocument): boolean =>
    JSON.stringify(service.items.get(document.externalId)) === JSON.stringify(document)
  const skipped = body.documents.filter(isSame).length
  for (const document of body.documents) service.items.set(document.externalId, document)
  return { status: 200, body: { ingested: body.documents.length - skipped, skipped } }
}

function remove(service: EmulatedService, externalId: string): CannedResponse {
  if (service.items.delete(externalId)) return { status: 200, body: { externalId } }
  return { status: 404, body: { error: 'There is no such item', code: 'not_found' } }
}

function streamed(): CannedResponse {
  const events: [string, unknown][] = [
    ['context', { context: ANSWER.context }],
    ['delta', { text: 'Employees get ' }],
    ['delta', { text: '25 days [1].' }],
    ['citations', { citations: ANSWER.citations }],
    ['done', ANSWER],
  ]
  return { status: 200, body: events.map(([name, data]) => toEvent(name, data)).join('') }
}

/** One event of a stream in wire format. */
export function toEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
