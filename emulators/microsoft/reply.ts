import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'

/** An error body (https://learn.microsoft.com/graph/errors). */
export const graphError = (
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): EmulatorReply => ({
  status,
  headers,
  json: { error: { code, message, innerError: { date: '2026-01-01T00:00:00', 'request-id': 'emulated' } } },
})

export const NOT_FOUND = graphError(404, 'itemNotFound', 'The resource could not be found.')

export interface GraphCall extends EmulatorRequest {
  /** The emulator's address, for links. */
  url: string
  /** The values matched by the route's pattern, decoded. */
  matched: readonly string[]
}

export interface GraphRoute {
  pattern: RegExp
  /** Any one of these delegated permissions is enough. */
  scopes: readonly string[]
  /** The query parameters that the documentation names. */
  parameters: readonly string[]
  /** The type's name in messages, and its selectable properties. */
  type: string
  properties: ReadonlySet<string>
  answer(call: GraphCall): EmulatorReply
}

const COUNT = /^[1-9]\d{0,3}$/

/** The first part of the query that Graph refuses. */
export function queryFault(query: URLSearchParams, route: GraphRoute): EmulatorReply | null {
  for (const [name, value] of query) {
    if (!route.parameters.includes(name))
      return graphError(400, 'BadRequest', `The query parameter '${name}' is not supported.`)
    if (name === '$top' && !COUNT.test(value))
      return graphError(400, 'BadRequest', `Invalid value '${value}' for $top query option found.`)
    if (name !== '$select') continue
    const unknown = value.split(',').find((property) => !route.properties.has(property))
    if (unknown !== undefined)
      return graphError(
        400,
        'BadRequest',
        `Parsing OData Select and Expand failed: Could not find a property named '${unknown}' on type '${route.type}'.`,
      )
  }
  return null
}

/** Only the selected properties, and the id; all without a selection. */
export function selected(
  entity: Readonly<Record<string, unknown>>,
  select: string | null,
): Record<string, unknown> {
  if (select === null) return { ...entity }
  const names = new Set(['id', ...select.split(',')])
  const isKept = (name: string): boolean => names.has(name) || name.startsWith('@odata.')
  return Object.fromEntries(Object.entries(entity).filter(([name]) => isKept(name)))
}

export const tokenOf = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export function inToken(token: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

/** A page of a list by `$top` and an opaque `$skiptoken`. */
export function paged(call: GraphCall, all: readonly Record<string, unknown>[], most: number): EmulatorReply {
  const skip = inToken(call.query.get('$skiptoken') ?? tokenOf({ at: 0 }))
  if (typeof skip?.['at'] !== 'number') return graphError(400, 'invalidRequest', 'Invalid skip token')
  const select = call.query.get('$select')
  const end = skip['at'] + Number(call.query.get('$top') ?? most)
  const value = all.slice(skip['at'], end).map((entity) => selected(entity, select))
  if (end >= all.length) return { json: { value } }
  const following = new URLSearchParams({
    ...Object.fromEntries(call.query),
    $skiptoken: tokenOf({ at: end }),
  })
  return { json: { value, '@odata.nextLink': `${call.url}${call.path}?${following.toString()}` } }
}
