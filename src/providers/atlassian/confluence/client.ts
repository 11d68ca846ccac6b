import { z } from 'zod'
import { ProviderError } from '../../adapter.ts'
import { parseAnswer, parseKnown, type RestAnswer } from '../../rest.ts'
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
const PAGES_MAX = 10_000
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
  /** Checks the next page's address, which comes from a response: the token must not leave the site. */
  const nextOf = (link: string): string => {
    const below = link.startsWith('/') ? `${base}${link.startsWith('/wiki/') ? '' : '/wiki'}${link}` : link
    const next = URL.parse(below)?.href ?? ''
    if (!next.startsWith(wiki))
      throw new ProviderError(
        'rejected',
        'Confluence returned a next page on another site, which is not requested',
      )
    return next
  }

  async function* pages<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters: Parameters = {},
  ): AsyncGenerator<z.output<Schema>[]> {
    let address: string | null = withParameters(wiki + path, parameters)
    for (let count = 0; address !== null && count < PAGES_MAX; count += 1) {
      const answer: RestAnswer = await send({ url: address })
      const { results, _links: links } = parseAnswer(answer, Page, NAME)
      yield parseKnown(results, schema)
      address = links?.next == null ? null : nextOf(links.next)
    }
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
