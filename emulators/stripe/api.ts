import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import type { Account } from './account.ts'
import { expanded } from './answers.ts'
import { parseForm } from './form.ts'
import { createIdempotencyKeys } from './idempotency.ts'
import { errorReply, invalid, StripeError } from './stripe-error.ts'

export interface ApiCall {
  account: Account
  /** The values of the path's `:names`. */
  params: Record<string, string>
  /** Form and query parameters, nested, without `expand`. */
  input: Record<string, unknown>
}

export type ApiRoute = (call: ApiCall) => unknown

export interface ApiOptions {
  account: Account
  secretKey: string
  /** Handlers by `METHOD /v1/path/:name`. */
  routes: Record<string, ApiRoute>
}

export interface Api {
  handle(request: EmulatorRequest): Promise<EmulatorReply>
  /** Duration of a call in milliseconds; a repetition meanwhile conflicts with it. */
  workMs: number
}

/** Stripe's API for an account: authentication, idempotency, routing and expansion. */
export function createApi({ account, secretKey, routes }: ApiOptions): Api {
  const compiled = Object.entries(routes).map(([name, route]) => compile(name, route))
  const keys = createIdempotencyKeys(() => account.clock.callersNow())

  const run = (request: EmulatorRequest, id: string, key: string | null): EmulatorReply => {
    account.request = { id, idempotencyKey: key }
    for (const { method, match, route } of compiled) {
      const params = method === request.method ? match(request.path) : null
      if (params === null) continue
      const given = { ...parseForm(request.query.toString()), ...parseForm(request.body) }
      const { expand, ...input } = given
      const paths = Array.isArray(expand) ? expand.filter((path) => typeof path === 'string') : []
      const answer = route({
        account,
        params,
        input: paths.length === 0 ? input : { ...input, expand: paths },
      })
      return { json: expanded(account, answer, paths) }
    }
    const message = `Unrecognized request URL (${request.method}: ${request.path}). The emulator knows only what the service needs.`
    throw new StripeError(404, { type: 'invalid_request_error', message })
  }

  const once = async (request: EmulatorRequest, id: string, key: string): Promise<EmulatorReply> => {
    const earlier = keys.begin(request, key)
    if (earlier !== null)
      return { ...earlier, headers: { ...earlier.headers, 'idempotent-replayed': 'true' } }
    if (api.workMs > 0) await new Promise((resolve) => setTimeout(resolve, api.workMs))
    const reply = answered(() => run(request, id, key))
    keys.end(key, reply)
    return reply
  }

  const api: Api = {
    workMs: 0,
    handle: async (request) => {
      const id = account.newId('req')
      const key = request.method === 'POST' ? (request.headers['idempotency-key'] ?? null) : null
      let reply: EmulatorReply
      try {
        checkCaller(request, secretKey)
        reply = key === null ? answered(() => run(request, id, null)) : await once(request, id, key)
      } catch (error) {
        if (!(error instanceof StripeError)) throw error
        reply = errorReply(error)
      }
      const version = request.headers['stripe-version'] ?? ''
      return {
        ...reply,
        headers: {
          ...reply.headers,
          'request-id': id,
          ...(version === '' ? {} : { 'stripe-version': version }),
          ...(key === null ? {} : { 'idempotency-key': key }),
        },
      }
    },
  }
  return api
}

function answered(run: () => EmulatorReply): EmulatorReply {
  try {
    return run()
  } catch (error) {
    if (error instanceof StripeError) return errorReply(error)
    throw error
  }
}

function checkCaller(request: EmulatorRequest, secretKey: string): void {
  const basic = /^Basic (.+)$/i.exec(request.headers['authorization'] ?? '')?.[1]
  const user = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString('utf8').split(':')[0]
  const given = request.bearer ?? user
  if (given === secretKey) return
  const message =
    given === undefined
      ? 'You did not provide an API key.'
      : `Invalid API Key provided: ${given.slice(0, 7)}****${given.slice(-4)}`
  throw new StripeError(401, { type: 'invalid_request_error', message })
}

function compile(name: string, route: ApiRoute) {
  const [method = '', pattern = ''] = name.split(' ')
  const wanted = pattern.split('/')
  const match = (path: string): Record<string, string> | null => {
    const segments = path.split('/')
    if (segments.length !== wanted.length) return null
    const params: Record<string, string> = {}
    for (const [index, segment] of segments.entries()) {
      const expected = wanted[index] ?? ''
      if (expected.startsWith(':')) params[expected.slice(1)] = decodeURIComponent(segment)
      else if (expected !== segment) return null
    }
    return params
  }
  return { method, match, route }
}

/** The id in the path. @throws StripeError 400 */
export function pathId({ params }: ApiCall, name = 'id'): string {
  const id = params[name]
  if (id === undefined) throw invalid(`The path has no ${name}`)
  return id
}
