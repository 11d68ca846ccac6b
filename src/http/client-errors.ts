import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, validationError } from '../kernel/errors.ts'
import { errorBody } from './error-response.ts'

/** Milliseconds (https://nodejs.org/api/http.html#httpcreateserveroptions-requestlistener). */
export interface ClientTimeouts {
  /** From a request's first byte, or the start of the connection, to the end of its headers. */
  headersTimeout: number
  /** From the same start to the end of its body. Responses and streams have no limit. */
  requestTimeout: number
  /** Between a response and the next request on its connection. */
  keepAliveTimeout: number
  connectionsCheckingInterval: number
}

export const CLIENT_TIMEOUTS: ClientTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  // Longer than the usual 60 s of proxies: the proxy must be the one to close an idle connection, or it may send a
  // request into a closed one.
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 2_000,
}

/** Time for a client to read the last response of its connection. */
const LINGER_MS = 1_000

/** Answers in JSON what is not HTTP, exceeds the header limit or arrives too late; then closes the connection. */
export function createClientErrorHandler(headersBytesMax: number, publicUrl: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const appError = toClientError(error.code, headersBytesMax)
    const body = JSON.stringify(errorBody(appError, publicUrl()))
    socket.end(
      `HTTP/1.1 ${appError.status} ${STATUS_CODES[appError.status]}\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nX-Request-Id: ${randomUUID()}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}

function toClientError(code: string | undefined, headersBytesMax: number): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', `The request headers are larger than ${headersBytesMax} bytes`)
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError(
        'request_timeout',
        'The request did not arrive in time; send it again on a faster connection or in smaller parts',
      )
    default:
      return validationError([{ path: '', message: 'The request is not valid HTTP' }])
  }
}
