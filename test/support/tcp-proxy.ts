import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A port of 127.0.0.1 that leads to a server, and can be cut like a network. */
export interface TcpProxy {
  port: number
  /** Ends all connections and closes new ones at once until `mend`. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

/** Starts a proxy in front of the server in a URL. */
export async function startTcpProxy({
  hostname,
  port,
}: {
  hostname: string
  port: string
}): Promise<TcpProxy> {
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const cut = (): void => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  return {
    port: address.port,
    cut,
    mend: () => {
      isCut = false
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
