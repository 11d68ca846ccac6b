import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** Faults of a model server. Each affects one request, in order. */
export type ModelFault =
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: unknown }
  /** Answers correctly, but only after `ms`. */
  | { kind: 'slow'; ms: number }
  /** Streams this many pieces, then drops the connection; without streaming, drops it mid-body. */
  | { kind: 'cut'; afterDeltas: number }
  /** Streams this many pieces, then ends normally, but without a finish reason. */
  | { kind: 'unfinished'; afterDeltas: number }
  /** Streams this many pieces, then sends the provider's error event. */
  | { kind: 'error-event'; afterDeltas: number; message: string }
  /** Streams this many pieces, then nothing until the client disconnects. */
  | { kind: 'stall'; afterDeltas: number }
  /** Streams everything, then says that the token limit cut it off. */
  | { kind: 'token-limit' }
  /** Streams this many pieces, then ends with this finish reason. */
  | { kind: 'finish'; afterDeltas: number; reason: string }
  | { kind: 'malformed-json' }
  | { kind: 'wrong-dimensions' }
  | { kind: 'missing-index' }

export interface RecordedRequest {
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
}

/** A request as a provider's handler sees it: body, fault (unless handled for all providers), and answer. */
export interface ModelExchange {
  path: string
  body: Record<string, unknown>
  fault: ModelFault | undefined
  response: ServerResponse
}

/** A real HTTP server on loopback that speaks a model provider's API. */
export interface ModelServer {
  /** Without the version path. */
  readonly origin: string
  readonly requests: RecordedRequest[]
  /** The maximum number of concurrent requests. */
  readonly concurrencyMax: () => number
  /** Injects faults into the next requests, one each. */
  fail(...faults: ModelFault[]): void
  close(): Promise<void>
}

/** Starts a server with the handler `handle`; it handles status, slow and malformed-json faults for all providers. */
export async function startModelServer(
  handle: (exchange: ModelExchange) => Promise<void>,
): Promise<ModelServer> {
  const requests: RecordedRequest[] = []
  const faults: ModelFault[] = []
  let underWay = 0
  let underWayMax = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: Record<string, unknown> = JSON.parse(await readBody(request))
    const path = request.url ?? '/'
    requests.push({ path, headers: request.headers, body })
    const fault = faults.shift()
    if (fault?.kind === 'slow') await delay(fault.ms)
    if (fault?.kind === 'status') {
      const error = fault.body ?? {
        error: { message: `status ${fault.status} on demand`, type: 'on_demand' },
      }
      sendJson(response, fault.status, error, fault.headers)
    } else if (fault?.kind === 'malformed-json') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": [')
    } else {
      await handle({ path, body, fault, response })
    }
  }

  const server = createServer((request, response) => {
    underWayMax = Math.max(underWayMax, ++underWay)
    answer(request, response)
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
      .finally(() => underWay--)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')

  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    concurrencyMax: () => underWayMax,
    fail: (...more) => void faults.push(...more),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export interface StreamWire {
  before: string[]
  /** The server-sent events of one piece of text. */
  delta: (text: string) => string[]
  /** The provider's error event. */
  error: (message: string) => string[]
  after: string[]
}

/** Streams `text` word by word as server-sent events (WHATWG HTML, 9.2), injecting the fault. */
export async function sendStream(exchange: ModelExchange, wire: StreamWire, text: string): Promise<void> {
  const { response, fault } = exchange
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (events: string[]): boolean => response.write(events.map((event) => `${event}\n\n`).join(''))
  write(wire.before)
  const pieces = text.match(/\s*\S+/g) ?? []
  const broken = fault && 'afterDeltas' in fault ? fault : undefined
  for (const piece of broken ? pieces.slice(0, broken.afterDeltas) : pieces) {
    write(wire.delta(piece))
    // Sends each piece separately, like a provider.
    await delay(1)
  }
  if (broken?.kind === 'stall') return
  if (broken?.kind === 'cut') {
    // A lost connection discards what the client has received but not read: let it read first.
    await delay(50)
    response.destroy()
    return
  }
  if (broken?.kind === 'error-event') write(wire.error(broken.message))
  else if (!broken || broken.kind === 'finish') write(wire.after)
  response.end()
}

/** The finish reason that a fault asks for. */
export function finishReason(
  fault: ModelFault | undefined,
  words: { limit: string; normal: string },
): string {
  if (fault?.kind === 'finish') return fault.reason
  return fault?.kind === 'token-limit' ? words.limit : words.normal
}

/** A server-sent event with JSON as its data. */
export function sseEvent(data: unknown, name?: string): string {
  return `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}`
}
