import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { RouteAddress } from './nearest-route.ts'

export interface Addresses {
  known(): readonly RouteAddress[]
  /** The methods that the path answers; none for an unknown path. */
  methodsOf(path: string): string[]
}

interface Address extends RouteAddress {
  segments: readonly string[]
}

/** Omits the operator's addresses: when that surface is off, it must appear not to exist. */
export function collectAddresses(app: FastifyInstance): Addresses {
  const addresses: Address[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.onlyRefuses === true || url.startsWith('/operator/')) return
    const path = url.replaceAll(/:(\w+)/g, '{$1}')
    for (const one of [method].flat()) addresses.push({ method: one, path, segments: url.split('/') })
  })
  return {
    known: () =>
      addresses.filter(({ method, path }) => method !== 'HEAD' && path !== '/' && !path.includes('*')),
    methodsOf(path) {
      const asked = path.replace(/(?<=.)\/$/, '').split('/')
      const methods = addresses.filter(({ segments }) => isAt(asked, segments)).map(({ method }) => method)
      return [...new Set(methods)].toSorted()
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

/** The 405 for a method that an address does not have (RFC 9110, 15.5.6). */
export function methodNotAllowed(request: FastifyRequest, allowed: readonly string[]): AppError {
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
