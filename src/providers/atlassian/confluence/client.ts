import { z } from 'zod'
import { followPages } from '../../pages.ts'
import { addressBelow, parseAnswer, parseKnown } from '../../rest.ts'
import {
  createProductApi,
  type Parameters,
  postJson,
  type ProductApi,
  refusedToken,
  type Send,
  withParameters,
} from '../shared/client.ts'
import { inParts } from '../../../kernel/in-parts.ts'

export const NAME = 'Confluence'
const USERS_AT_ONCE = 250
const Page = z.object({
  results: z.array(z.unknown()),
  _links: z.object({ next: z.string().nullish() }).optional(),
})
const User = z.object({
  accountId: z.string(),
  displayName: z.string().nullish(),
  email: z.string().nullish(),
  accountStatus: z.string().nullish(),
})
export type ConfluenceUser = z.output<typeof User>
const CurrentUser = z.object({ type: z.string(), accountId: z.string().nullish() })

/**
 * A Confluence site as one account sees it. Paths are relative to `/wiki/`: `api/v2/…`, or `rest/api/…` for
 * restrictions, groups and CQL, which only version 1 has.
 */
export interface Confluence extends ProductApi {
  /** The entries of a list in a known format, page by page. */
  pages<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters?: Parameters,
  ): AsyncGenerator<z.output<Schema>[]>
  /** The content of a file. */
  download(path: string): Promise<Buffer>
  /** Users that exist and that the account may see. */
  users(accountIds: Iterable<string>): Promise<ConfluenceUser[]>
  /** The token's user. With a rejected token, Confluence answers some requests as if nobody were logged in. */
  accountId(): Promise<string>
}

export function createConfluence(base: string, send: Send, download: Send): Confluence {
  const wiki = `${base}/wiki/`
  const api = createProductApi(NAME, wiki, send)
  const nextOf = (link: string): string => {
    const below = link.startsWith('/') ? `${base}${link.startsWith('/wiki/') ? '' : '/wiki'}${link}` : link
    return addressBelow(wiki, below, NAME)
  }

  async function* pages<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters: Parameters = {},
  ): AsyncGenerator<z.output<Schema>[]> {
    const first = withParameters(wiki + path, parameters)
    const found = followPages(
      async (next) => parseAnswer(await send({ url: next ?? first }), Page, NAME),
      ({ _links: links }) => links?.next && nextOf(links.next),
    )
    for await (const { results } of found) yield parseKnown(results, schema)
  }

  return {
    ...api,
    pages,
    download: async (path) => (await download({ url: wiki + path, headers: { accept: '*/*' } })).bytes,
    async users(accountIds) {
      const users: ConfluenceUser[] = []
      for (const some of inParts([...accountIds], USERS_AT_ONCE)) {
        const answer = await send(postJson(`${wiki}api/v2/users-bulk`, { accountIds: some }))
        users.push(...parseKnown(parseAnswer(answer, Page, NAME).results, User))
      }
      return users
    },
    async accountId() {
      const { type, accountId } = await api.get('rest/api/user/current', CurrentUser)
      if (type === 'anonymous' || accountId == null) throw refusedToken(NAME)
      return accountId
    },
  }
}
