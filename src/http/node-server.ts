import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { validationError } from '../kernel/errors.ts'
import { CLIENT_TIMEOUTS, type ClientTimeouts } from './client-errors.ts'
import { endConnectionsOnClose } from './end-connections.ts'

export const HEADERS_BYTES_MAX = 16_384

/** Node's server. The framework does not configure a server that it did not create, so everything is set here. */
export function createNodeServer(listener: RequestListener, timeouts?: Partial<ClientTimeouts>): Server {
  const server = createServer(
    // Node would answer a request without Host with no body; `refuseWithoutHost` does instead.
    { maxHeaderSize: HEADERS_BYTES_MAX, requireHostHeader: false, ...CLIENT_TIMEOUTS, ...timeouts },
    listener,
  )
  // Unknown expectations may be ignored (RFC 9110, 10.1.1). Node would answer 417 with no body.
  server.on('checkExpectation', listener)
  endConnectionsOnClose(server)
  return server
}

/** @throws AppError `validation_failed`, as RFC 9112, 3.2 requires */
export function refuseWithoutHost({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw validationError([{ path: '', message: 'The Host header is missing' }])
}
