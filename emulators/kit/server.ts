import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFaults, deformed, type Faults } from './faults.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024

/** A request with its whole body; the path has no query. */
export interface EmulatorRequest {
  method: string
  path: string
  query: URLSearchParams
  /** Names in lower case. */
  headers: Record<string, string>
  body: string
  /** The token of `Authorization: Bearer …`, or null. */
  bearer: string | null
}

/** An answer with at most one of `json`, `text`, `bytes`. Status 200 by default. */
export interface EmulatorReply {
  status?: number
  headers?: Record<string, string>
  json?: unknown
  text?: string
  bytes?: Uint8Array
}

export type EmulatorHandler = (request: EmulatorRequest) => EmulatorReply | Promise<EmulatorReply>

export interface EmulatorServer {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  readonly faults: Faults
  readonly requests: RequestLog
  /** Answers a request without a socket, for callers in the same process; null: the connection is cut. */
  serve(request: EmulatorRequest): Promise<EmulatorReply | null>
  close(): Promise<void>
}

export interface EmulatorServerOptions {
  /** 0 uses any free port. */
  port?: number
  handle: EmulatorHandler
  /** The default body of a fault with a status; empty when absent. */
  faultBody?: (status: number) => unknown
  /** Emulator-specific routes `POST /_emulator/<name>`; results are answered as JSON. */
  control?: Record<string, (body: Record<string, unknown>) => unknown>
}

/**
 * Starts an emulator on 127.0.0.1. It counts each request to the provider's API, then applies faults, then calls the
 * handler. `/_emulator/` is the control interface: `GET requests`, `POST faults`, `POST clear-faults`, and the
 * emulator's own routes.
 */
export async function startEmulatorServer(options: EmulatorServerOptions): Promise<EmulatorServer> {
  const faults = createFaults()
  const requests = createRequestLog()
  const control = {
    faults: faults.addFromJson,
    'clear-faults': () => faults.clear(),
    requests: () => requests.summary(),
    ...options.control,
  }
  const serve = (request: EmulatorRequest): Promise<EmulatorReply | null> =>
    serveRequest(request, { ...options, control }, faults, requests)
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing, serve).catch((error: unknown) => {
      if (outgoing.headersSent) outgoing.destroy()
      else send(outgoing, { status: 500, json: { error: String(error) } })
    })
  })
  server.keepAliveTimeout = 30_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    requests,
    serve,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  serve: EmulatorServer['serve'],
): Promise<void> {
  const served = await serve(await readRequest(incoming))
  if (served === null) outgoing.destroy()
  else send(outgoing, served)
}

async function serveRequest(
  request: EmulatorRequest,
  options: EmulatorServerOptions,
  faults: Faults,
  requests: RequestLog,
): Promise<EmulatorReply | null> {
  if (request.path.startsWith('/_emulator/')) return runControl(request, options.control ?? {})
  requests.count(request)
  const fault = faults.take(request)
  const served = fault?.afterEffect ? await options.handle(request) : null
  if (fault?.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs))
  if (fault?.drop) return null
  if (fault?.status !== undefined) {
    return {
      status: fault.status,
      headers: fault.headers ?? {},
      json: fault.body ?? options.faultBody?.(fault.status) ?? {},
    }
  }
  const reply = served ?? (await options.handle(request))
  return fault?.deforms === undefined || reply.json === undefined
    ? reply
    : { ...reply, json: deformed(reply.json, fault.deforms) }
}

function runControl(
  request: EmulatorRequest,
  control: Record<string, (body: Record<string, unknown>) => unknown>,
): EmulatorReply {
  const name = request.path.slice('/_emulator/'.length)
  const run = control[name]
  if (!run) return { status: 404, json: { error: 'unknown_control', known: Object.keys(control) } }
  try {
    const body: unknown = request.body === '' ? {} : JSON.parse(request.body)
    const result = run(typeof body === 'object' && body !== null ? { ...body } : {})
    return { json: { ok: true, result: result ?? null } }
  } catch (error) {
    return { status: 400, json: { ok: false, error: error instanceof Error ? error.message : String(error) } }
  }
}

async function readRequest(incoming: IncomingMessage): Promise<EmulatorRequest> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MAX_BODY_BYTES) throw new Error('request body over 4 MiB')
    chunks.push(bytes)
  }
  const url = new URL(incoming.url ?? '/', 'http://emulator')
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const bearer = /^Bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? null
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
    bearer,
  }
}

function send(outgoing: ServerResponse, reply: EmulatorReply): void {
  const [type, body] = encodeBody(reply)
  outgoing.writeHead(reply.status ?? 200, {
    'content-type': type,
    'content-length': body.length,
    ...reply.headers,
  })
  outgoing.end(body)
}

function encodeBody(reply: EmulatorReply): [string, Buffer] {
  if (reply.json !== undefined)
    return ['application/json; charset=utf-8', Buffer.from(JSON.stringify(reply.json))]
  if (reply.bytes !== undefined) return ['application/octet-stream', Buffer.from(reply.bytes)]
  return ['text/plain; charset=utf-8', Buffer.from(reply.text ?? '')]
}
