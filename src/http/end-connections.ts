import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Makes a closing server end each connection after its last response: responses in flight send `Connection: close`, and
 * idle connections end immediately. Node alone would cut off a response that a slow client still reads
 * (`closeIdleConnections` counts it as idle), and keep open the connection of one that was in flight.
 */
export function endConnectionsOnClose(server: Server): void {
  const answers = new Map<Socket, Set<ServerResponse>>()
  let isClosing = false
  const endWhereIdle = (socket: Socket): void => {
    if (isClosing && answers.get(socket)?.size === 0) socket.destroySoon()
  }
  server.on('connection', (socket: Socket) => {
    answers.set(socket, new Set())
    socket.once('close', () => answers.delete(socket))
    endWhereIdle(socket)
  })
  server.prependListener('request', ({ socket }, response) => {
    const own = answers.get(socket)
    own?.add(response)
    if (isClosing) response.shouldKeepAlive = false
    response.once('close', () => {
      own?.delete(response)
      endWhereIdle(socket)
    })
  })
  // `close` calls this first.
  server.closeIdleConnections = () => {
    isClosing = true
    for (const [socket, own] of answers) {
      for (const response of own) response.shouldKeepAlive = false
      endWhereIdle(socket)
    }
  }
}
