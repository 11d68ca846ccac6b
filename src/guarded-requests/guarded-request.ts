import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { AddressNotAllowed, guardedLookup, literalAddress, type Resolve } from './addresses.ts'

/** Opens a request to an untrusted URL and returns the answer, with its body still to be read. */
export type OpenRequest = (
  target: URL,
  options: Pick<RequestOptions, 'method' | 'headers' | 'signal'>,
  body?: string,
) => Promise<IncomingMessage>

/** Limits 1xx responses: thousands can arrive at once and keep the event loop from its timeouts. */
const INFORMATIONAL_MAX = 100

/** Each request has its own connection to a checked address, no proxy and no redirects. @throws AddressNotAllowed */
export function createOpenRequest(resolve: Resolve, isAllowed: (address: string) => boolean): OpenRequest {
  const lookup = guardedLookup(resolve, isAllowed)
  return async (target, options, body) => {
    const literal = literalAddress(target)
    // An IP address needs no lookup.
    if (literal !== null && !isAllowed(literal)) throw new AddressNotAllowed()
    const answer = Promise.withResolvers<IncomingMessage>()
    const request = target.protocol === 'https:' ? requestHttps : requestHttp
    // A separate agent uses no proxy and keeps no connection.
    const sent = request(target, { ...options, lookup, agent: false }, answer.resolve)
    let informational = 0
    sent.on('information', () => {
      informational += 1
      if (informational > INFORMATIONAL_MAX) sent.destroy(new Error('too many 1xx responses'))
    })
    sent.on('error', answer.reject)
    // An upgrade that nobody asked for closes the connection with neither a response nor an error.
    sent.on('close', () => answer.reject(new Error('the connection closed before a response')))
    sent.end(body)
    return await answer.promise
  }
}
