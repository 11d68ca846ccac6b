import { z } from 'zod'
import { ProviderError } from '../../adapter.ts'
import { findThing, parseAnswer, parseKnown } from '../../rest.ts'
import {
  isMissing,
  type Parameters,
  postJson,
  refusedToken,
  type Send,
  withParameters,
} from '../shared/client.ts'

export const NAME = 'Jira'
const PAGES_MAX = 10_000
const Searched = z.object({ issues: z.array(z.unknown()), nextPageToken: z.string().nullish() })
const Listed = z.object({
  values: z.array(z.unknown()).optional(),
  comments: z.array(z.unknown()).optional(),
  total: z.int().nullish(),
  isLast: z.boolean().nullish(),
})

/** A Jira time, whose zone has no colon, in milliseconds. */
export const time = z
  .string()
  .transform((text) => Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')))
  .refine((at) => !Number.isNaN(at))

/** A Jira site as one account sees it. Paths are relative to `/rest/api/3/`. Each call throws ProviderError. */
export interface Jira {
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
  post<Schema extends z.ZodType>(path: string, body: unknown, schema: Schema): Promise<z.output<Schema>>
  /** The entries of a list in a known format, page by page, from `startAt`. */
  pages<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters?: Parameters,
    startAt?: number,
  ): AsyncGenerator<z.output<Schema>[]>
  /** The issues in a known format that a query finds, page by page. Jira's index may lag. */
  search<Schema extends z.ZodType>(
    query: { jql: string; fields: readonly string[]; maxResults: number },
    schema: Schema,
  ): AsyncGenerator<z.output<Schema>[]>
  /** The token's user. With a rejected token, Jira answers some requests as if nobody were logged in. */
  accountId(): Promise<string>
}

export function createJira(base: string, send: Send): Jira {
  const address = (path: string, parameters?: Parameters): string =>
    withParameters(`${base}/rest/api/3/${path}`, parameters)
  const get = async <Schema extends z.ZodType>(path: string, schema: Schema, parameters?: Parameters) =>
    parseAnswer(await send({ url: address(path, parameters) }), schema, NAME)
  const post = async <Schema extends z.ZodType>(path: string, body: unknown, schema: Schema) =>
    parseAnswer(await send(postJson(address(path), body)), schema, NAME)
  return {
    get,
    find: (path, schema, parameters) =>
      findThing(get(path, z.unknown(), parameters), { schema, name: NAME, isMissing }),
    post,
    async *pages(path, schema, parameters = {}, startAt = 0) {
      let at = startAt
      for (let count = 0; count < PAGES_MAX; count += 1) {
        const page = await get(path, Listed, { ...parameters, startAt: String(at) })
        const entries = page.values ?? page.comments ?? []
        yield parseKnown(entries, schema)
        at += entries.length
        if (entries.length === 0 || page.isLast === true || at >= (page.total ?? Number.POSITIVE_INFINITY))
          return
      }
    },
    async *search(query, schema) {
      let token: string | null = null
      for (let count = 0; count < PAGES_MAX; count += 1) {
        const body: object = { ...query, ...(token !== null && { nextPageToken: token }) }
        const page: z.output<typeof Searched> = await post('search/jql', body, Searched)
        yield parseKnown(page.issues, schema)
        token = page.nextPageToken ?? null
        if (token === null) return
      }
      throw new ProviderError('unavailable', 'Jira returned next pages without end')
    },
    async accountId() {
      const { accountId } = await get('myself', z.object({ accountId: z.string().nullish() }))
      if (accountId == null) throw refusedToken(NAME)
      return accountId
    },
  }
}
