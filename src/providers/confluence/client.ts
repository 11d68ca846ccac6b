import { z } from 'zod'
import { VERSION } from '../../kernel/version.ts'
import { ProviderError } from '../provider.ts'
import { parseAnswer, type RestAnswer, type RestOptions, type RestRequest } from '../rest.ts'

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

/** How Confluence is called; `fetch` for an address that a user entered. */
export const restOptionsOf = (guardedFetch: typeof fetch | null): RestOptions => ({
  name: 'Confluence',
  scheme: 'Basic',
  headers: { 'user-agent': `RetrievalMemoryService/${VERSION}` },
  ...(guardedFetch && { fetch: guardedFetch }),
  // Confluence answers it with a page, not with words.
  refused: ({ status }) => (status === 401 ? refusedToken() : undefined),
})

const refusedToken = (): ProviderError =>
  new ProviderError('auth', 'Confluence refuses the email or the API token', { code: '401' })

export type Parameters = Readonly<Record<string, string>>

/**
 * A Confluence site as one account sees it. Paths are those below `/wiki/`: `api/v2/…`, or `rest/api/…` for what only the
 * first version has: restrictions, groups and CQL. Each call throws ProviderError.
 */
export interface Confluence {
  get<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters?: Parameters,
  ): Promise<z.output<Schema>>
  /** The entries of a list, page by page. */
  pages<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters?: Parameters,
  ): AsyncGenerator<z.output<Schema>[]>
  /** Users that exist and that the account may see. */
  users(accountIds: Iterable<string>): Promise<ConfluenceUser[]>
  /** Whose token it is. Confluence answers some requests with a refused token as if nobody were logged in. */
  accountId(): Promise<string>
}

export function createConfluence(
  base: string,
  send: (request: RestRequest) => Promise<RestAnswer>,
): Confluence {
  const wiki = `${base}/wiki/`
  const request = async (url: string, rest: Partial<RestRequest> = {}): Promise<RestAnswer> => {
    const answer = await send({ url, ...rest })
    const reason = answer.headers.get('x-seraph-loginreason') ?? ''
    if (/AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/.test(reason)) throw refusedToken()
    return answer
  }
  const addressOf = (path: string, parameters: Parameters = {}): string => {
    const query = new URLSearchParams(parameters).toString()
    return `${wiki}${path}${query === '' ? '' : `?${query}`}`
  }
  /** The address of a next page comes from an answer, and the token must not leave the site. */
  const nextOf = (link: string): string => {
    const below = link.startsWith('/') ? `${base}${link.startsWith('/wiki/') ? '' : '/wiki'}${link}` : link
    const next = URL.parse(below)?.href ?? ''
    if (!next.startsWith(wiki))
      throw new ProviderError('rejected', 'Confluence names a next page elsewhere, which is not requested')
    return next
  }

  async function* pages<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters: Parameters = {},
  ): AsyncGenerator<z.output<Schema>[]> {
    let address: string | null = addressOf(path, parameters)
    for (let count = 0; address !== null && count < PAGES_MAX; count += 1) {
      const answer: RestAnswer = await request(address)
      const { results, _links: links } = parseAnswer(answer, Page, 'Confluence')
      yield parseEach(results, schema)
      address = links?.next == null ? null : nextOf(links.next)
    }
  }

  const get = async <Schema extends z.ZodType>(path: string, schema: Schema, parameters?: Parameters) =>
    parseAnswer(await request(addressOf(path, parameters)), schema, 'Confluence')

  return {
    get,
    pages,
    async users(accountIds) {
      const ids = [...accountIds]
      const users: ConfluenceUser[] = []
      for (let start = 0; start < ids.length; start += USERS_AT_ONCE) {
        const answer = await request(addressOf('api/v2/users-bulk'), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ accountIds: ids.slice(start, start + USERS_AT_ONCE) }),
        })
        users.push(...parseEach(parseAnswer(answer, Page, 'Confluence').results, User))
      }
      return users
    },
    async accountId() {
      const { type, accountId } = await get('rest/api/user/current', CurrentUser)
      if (type === 'anonymous' || accountId == null) throw refusedToken()
      return accountId
    },
  }
}

function parseEach<Schema extends z.ZodType>(
  results: readonly unknown[],
  schema: Schema,
): z.output<Schema>[] {
  return results.map((result) => {
    const parsed = schema.safeParse(result)
    if (parsed.success) return parsed.data
    const place = parsed.error.issues[0]?.path.join('.') ?? ''
    throw new ProviderError('unavailable', `Confluence answered in an unknown format (${place})`)
  })
}

/** Whether Confluence has no such thing, or not for this account. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ProviderError && (error.code === '404' || error.code === '410')
