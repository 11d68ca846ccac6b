import { z } from 'zod'
import { followPages } from '../../pages.ts'
import { parseAnswer, parseKnown } from '../../rest.ts'
import {
  createProductApi,
  type Parameters,
  postJson,
  type ProductApi,
  refusedToken,
  type Send,
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

/** A Jira site as one account sees it. Paths are relative to `/rest/api/3/`. */
export interface Jira extends ProductApi {
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
  const root = `${base}/rest/api/3/`
  const api = createProductApi(NAME, root, send)
  const post: Jira['post'] = async (path, body, schema) =>
    parseAnswer(await send(postJson(root + path, body)), schema, NAME)
  return {
    ...api,
    post,
    async *pages(path, schema, parameters = {}, startAt = 0) {
      let at = startAt
      for (let count = 0; count < PAGES_MAX; count += 1) {
        const page = await api.get(path, Listed, { ...parameters, startAt: String(at) })
        const entries = page.values ?? page.comments ?? []
        yield parseKnown(entries, schema)
        at += entries.length
        if (entries.length === 0 || page.isLast === true || at >= (page.total ?? Number.POSITIVE_INFINITY))
          return
      }
    },
    async *search(query, schema) {
      const found = followPages(
        (nextPageToken) =>
          post('search/jql', { ...query, ...(nextPageToken !== null && { nextPageToken }) }, Searched),
        ({ nextPageToken }) => nextPageToken,
      )
      for await (const { issues } of found) yield parseKnown(issues, schema)
    },
    async accountId() {
      const { accountId } = await api.get('myself', z.object({ accountId: z.string().nullish() }))
      if (accountId == null) throw refusedToken(NAME)
      return accountId
    },
  }
}
