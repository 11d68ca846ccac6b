import type { EmulatorReply, EmulatorRequest } from '../emulators/kit/server.ts'
import type { Faults, FaultKind, Place } from './faults.ts'
import { currentProcess, never, runIn } from './processes.ts'
import type { SimulatedTime } from './simulated-time.ts'

/** A server that receives requests. */
export interface SimulatedServer {
  place: Place
  /** The response to a request; null: the connection breaks. */
  serve(request: EmulatorRequest): Promise<EmulatorReply | null>
}

export interface Network {
  fetch: typeof fetch
  add(origin: string, server: SimulatedServer): void
  /** Runs a call to another server, such as a model's, with the faults of its place. */
  pass<Result>(place: Place, operation: string, act: () => Promise<Result>): Promise<Result>
}

const LATENCY_MS = 40
const DELAY_MS = 5_000
const LONG_DELAY_MS = 100_000

/** A network inside this process. Every request takes simulated time and may fail. */
export function createNetwork(time: SimulatedTime, faults: Faults): Network {
  const servers = new Map<string, SimulatedServer>()

  async function delay(operation: string, fault: FaultKind | null, signal?: AbortSignal): Promise<void> {
    const most = fault === 'long delay' ? LONG_DELAY_MS : fault === 'delay' ? DELAY_MS : LATENCY_MS
    await time.sleep(Math.ceil(faults.size(operation) * most), signal)
  }

  async function around<Result>(
    place: Place,
    operation: string,
    act: (fault: FaultKind | null) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const from = currentProcess()
    const fault = faults.next(place, operation)
    await delay(operation, fault, signal)
    if (fault === 'kill before') from?.kill()
    if (from?.isDead) return await never()
    if (fault === 'refused') throw connectionError('ECONNREFUSED')
    if (fault === 'hang') return await hang(signal)
    // The server is not part of the calling process.
    const result = await time.outside(() => runIn(undefined, () => act(fault)))
    if (fault === 'kill after') from?.kill()
    await delay(operation, null, signal)
    if (from?.isDead) return await never()
    if (fault === 'lost answer') throw connectionError('ECONNRESET')
    return result
  }

  async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const server = servers.get(url.origin)
    if (!server) throw connectionError('ENOTFOUND')
    const received = await emulatorRequest(request, url)
    const operation = `${request.method} ${url.host} ${shapeOf(url.pathname)}`
    return await around(
      server.place,
      operation,
      async (fault) => {
        if (fault === 'server error') return new Response('upstream failed', { status: 503 })
        if (fault === 'rate limit')
          return new Response('slow down', { status: 429, headers: { 'retry-after': '7' } })
        if (fault === 'duplicate') await server.serve(received)
        const reply = await server.serve(received)
        if (reply === null) throw connectionError('ECONNRESET')
        return responseOf(reply, fault === 'half answer')
      },
      init?.signal ?? undefined,
    )
  }

  return {
    fetch: send,
    add: (origin, server) => void servers.set(origin, server),
    pass: (place, operation, act) => around(place, operation, act),
  }
}

async function emulatorRequest(request: Request, url: URL): Promise<EmulatorRequest> {
  const headers = Object.fromEntries(request.headers)
  return {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: await request.text(),
    bearer: /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null,
  }
}

function responseOf(reply: EmulatorReply, isHalf: boolean): Response {
  const { status = 200, headers = {}, json, text = '', bytes } = reply
  const whole = json === undefined ? (bytes ?? Buffer.from(text)) : Buffer.from(JSON.stringify(json))
  const type = json === undefined ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(isHalf ? whole.subarray(0, whole.length / 2) : whole))
      if (isHalf) controller.error(new TypeError('terminated', { cause: connectionError('ECONNRESET') }))
      else controller.close()
    },
  })
  const hasBody = status !== 204 && status !== 304
  return new Response(hasBody ? body : null, { status, headers: { 'content-type': type, ...headers } })
}

function hang(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const aborted = (): void => reject(signal?.reason)
    if (signal?.aborted) aborted()
    signal?.addEventListener('abort', aborted, { once: true })
  })
}

function connectionError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}

/** A path without ids, so that an operation has one name for all objects. */
function shapeOf(path: string): string {
  return path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[A-Z0-9]{8,}|cus_\w+|sub_\w+/g, '*')
}
