import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../../test/support/until.ts'
import { endConnectionsOnClose } from './end-connections.ts'

// An idle connection would stay open for five seconds.
const SOON_MS = 4_000

let agent: Agent
let server: Server

async function serve(answer: RequestListener): Promise<number> {
  agent = new Agent({ keepAlive: true })
  server = createServer(answer)
  endConnectionsOnClose(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

afterEach(() => {
  agent.destroy()
  server.closeAllConnections()
})

/** Closes the server; returns how long it took until every connection had ended. */
async function close(): Promise<number> {
  const started = performance.now()
  await new Promise((resolve) => server.close(resolve))
  return performance.now() - started
}

async function ask(port: number): Promise<IncomingMessage> {
  const [response]: IncomingMessage[] = await once(get({ host: '127.0.0.1', port, agent }), 'response')
  if (!response) throw new Error('nothing was answered')
  return response
}

describe('a server that closes', () => {
  it('sends Connection: close in a response in flight, and then ends its connection', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const port = await serve((_request, response) => {
      arrive()
      void released.then(() => response.end('answer'))
    })
    const asking = ask(port)
    await arrived
    const closing = close()
    release()
    const response = await asking
    expect(response.headers.connection).toBe('close')
    expect(await text(response)).toBe('answer')
    expect(await closing).toBeLessThan(SOON_MS)
  })

  it('ends the connection of a response whose headers were already sent', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const port = await serve((_request, response) => {
      response.write('first ')
      void released.then(() => response.end('second'))
    })
    const response = await ask(port)
    expect(response.headers.connection).toBe('keep-alive')
    const closing = close()
    release()
    expect(await text(response)).toBe('first second')
    expect(await closing).toBeLessThan(SOON_MS)
  })

  it('lets a slow client read the whole response', async () => {
    const size = 40 * 1024 * 1024
    const port = await serve((_request, response) => response.end(Buffer.alloc(size, 'a')))
    const response = await ask(port)
    response.pause()
    const closing = close()
    expect((await text(response)).length).toBe(size)
    expect(await closing).toBeLessThan(10_000)
  })

  it('ends connections that are idle, sent nothing, or only part of a request', async () => {
    const port = await serve((_request, response) => response.end('answer'))
    await text(await ask(port))
    const silent = connect(port, '127.0.0.1')
    const partial = connect(port, '127.0.0.1', () => partial.write('GET / HTTP/1.1\r\nHost: x\r\n'))
    const ended = [silent, partial].map((socket) => once(socket.resume(), 'close'))
    const count = (): Promise<number> =>
      new Promise((resolve, reject) =>
        server.getConnections((error, open) => (error ? reject(error) : resolve(open))),
      )
    await until('three connections', count, (open) => open === 3)
    expect(await close()).toBeLessThan(SOON_MS)
    await Promise.all(ended)
  })
})
