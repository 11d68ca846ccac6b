import { z } from 'zod'
import { VERSION } from '../../../kernel/version.ts'
import { isMissing, ProviderError } from '../../adapter.ts'
import { findThing, parseAnswer, type RestAnswer, type RestOptions, type RestRequest } from '../../rest.ts'

export type Parameters = Readonly<Record<string, string>>
export type Send = (request: RestRequest) => Promise<RestAnswer>

/** How a product of a site is called; `fetch` for an address that a user entered. */
export const restOptionsOf = (name: string, guardedFetch: typeof fetch | null): RestOptions => ({
  name,
  scheme: 'Basic',
  headers: { 'user-agent': `RetrievalMemoryService/${VERSION}` },
  ...(guardedFetch && { fetch: guardedFetch }),
  // The response is an HTML page, not a message.
  refused: ({ status }) => (status === 401 ? refusedToken(name) : undefined),
})

export const refusedToken = (name: string): ProviderError =>
  new ProviderError('auth', `${name} rejected the email or the API token`, { code: '401' })

/** Sends requests, and detects responses to a refused token that look as if nobody were logged in. */
export function createSend(name: string, send: Send): Send {
  return async (request) => {
    const answer = await send(request)
    const reason = answer.headers.get('x-seraph-loginreason') ?? ''
    if (/AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/.test(reason)) throw refusedToken(name)
    return answer
  }
}

/** A product's API. Each call throws ProviderError. */
export interface ProductApi {
  get<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters?: Parameters,
  ): Promise<z.output<Schema>>
  /** An object by its ID; null if it does not exist or the account may not see it. */
  find<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters?: Parameters,
  ): Promise<z.output<Schema> | null>
}

/** Paths are relative to `base`. */
export function createProductApi(name: string, base: string, send: Send): ProductApi {
  const get: ProductApi['get'] = async (path, schema, parameters) =>
    parseAnswer(await send({ url: withParameters(base + path, parameters) }), schema, name)
  return {
    get,
    find: (path, schema, parameters) =>
      findThing(get(path, z.unknown(), parameters), { schema, name, isMissing }),
  }
}

export function withParameters(address: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams(parameters).toString()
  return query === '' ? address : `${address}?${query}`
}

export const postJson = (url: string, body: unknown): RestRequest => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
