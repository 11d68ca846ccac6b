import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { RouteAddress } from './nearest-route.ts'

export interface Addresses {
  /** Without the operator's, which no one else can use. */
  known(): readonly RouteAddress[]
  /** The methods that the path answers; none for an unknown path. */
  methodsOf(path: string): string[]
}

interface Address extends RouteAddress {
  segments: readonly string[]
}

export function collectAddresses(app: FastifyInstance): Addresses {
  const addresses: Address[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}')
    for (const one of [method].flat()) addresses.push({ method: one, path, segments: url.split('/') })
  })
  return {
    known: () =>
      addresses.filter(
        ({ method, path }) =>
          method !== 'HEAD' && path !== '/' && !path.includes('*') && !path.startsWith('/operator/'),
      ),
    methodsOf(path) {
      const asked = path.replace(/(?<=.)\/$/, '').split('/')
      const methods = addresses.filter(({ segments }) => isAt(asked, segments)).map(({ method }) => method)
      return [...new Set(methods)]
    },
  }
}

/** Addresses can have parameters (`:name`) and a rest (`*`). */
function isAt(asked: readonly string[], address: readonly string[]): boolean {
  const rest = address.indexOf('*')
  if (rest === -1 ? asked.length !== address.length : asked.length <= rest) return false
  const fixed = rest === -1 ? address : address.slice(0, rest)
  return fixed.every((segment, at) => segment.startsWith(':') || segment === asked[at])
}

/** Without the query, which can hold secrets such as an OAuth code. */
export function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url
}

/** @throws AppError `method_not_allowed` if the address has only other methods (RFC 9110, 15.5.6); for TRACE always */
export function refuseOtherMethod(request: FastifyRequest, addresses: Addresses): void {
  const allowed = addresses.methodsOf(pathOf(request))
  // TRACE would echo what only the service should see.
  if (request.method !== 'TRACE' && (allowed.length === 0 || allowed.includes(request.method))) return
  throw methodNotAllowed(request, allowed)
}

function methodNotAllowed(request: FastifyRequest, allowed: readonly string[]): AppError {
  const headers = { Allow: allowed.join(', ') }
  if (isPreflight(request)) {
    const message =
      'Web pages from other origins cannot call this service, because a key must not be in a page; call it from a server'
    return new AppError('method_not_allowed', message, { headers })
  }
  const instead = allowed.length === 0 ? '' : `; use ${allowed.join(' or ')}`
  return new AppError('method_not_allowed', `${request.method} is not allowed here${instead}`, { headers })
}

/** https://fetch.spec.whatwg.org/#cors-preflight-request */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
