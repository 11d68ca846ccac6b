import pLimit from 'p-limit'
import { z } from 'zod'
import { parseJson } from '../../kernel/parse-json.ts'
import { retryAfterMs } from '../../kernel/retry-after.ts'
import { VERSION } from '../../kernel/version.ts'
import { isMissing, ProviderError } from '../adapter.ts'
import { followPages } from '../pages.ts'
import {
  addressBelow,
  parseAnswer,
  parseKnown,
  parseShape,
  findThing,
  type RestAnswer,
  type RestOptions,
  type RestRequest,
} from '../rest.ts'

/** GitHub recommends a minute if the response does not say how long. */
const UNKNOWN_WAIT_MS = 60_000
const PER_PAGE = 100
const NEXT = /<([^<>]{1,4000})>; rel="next"/

/** How to call GitHub's API on any server. */
export const restOptionsOf = (apiUrl: string): RestOptions => ({
  name: 'GitHub',
  headers: {
    accept: 'application/vnd.github+json',
    'user-agent': `RetrievalMemoryService/${VERSION}`,
    'x-github-api-version': '2022-11-28',
  },
  // Renamed repositories and transferred issues.
  redirectsBelow: apiUrl,
  refused: (answer, words) =>
    rateLimitOf(answer, words) ?? suspended(answer, words) ?? missingPermission(answer, words),
  failed: graphqlFailureOf,
})

/**
 * Both rate limits return 403 or 429: the hourly one with its reset time, the secondary ones with a time or only a
 * message (docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
 */
function rateLimitOf({ status, headers }: RestAnswer, words: string): ProviderError | undefined {
  if (status !== 403 && status !== 429) return undefined
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0'
  const isNamed = headers.has('retry-after') || isUsedUp || status === 429 || /rate limit/i.test(words)
  return isNamed ? rateLimited(headers, words) : undefined
}

function rateLimited(headers: Headers, words: string): ProviderError {
  // GitHub's own clock: a local one may differ.
  const date = Date.parse(headers.get('date') ?? '')
  const now = Number.isNaN(date) ? new Date() : new Date(date)
  const asked = retryAfterMs(headers.get('retry-after'), now)
  const resetMs = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1_000 - now.getTime()
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0'
  const wait = asked ?? (isUsedUp && resetMs > 0 ? resetMs : UNKNOWN_WAIT_MS)
  return new ProviderError('rate_limited', words, { retryAfterMs: wait, code: '403' })
}

const Queried = z.object({ data: z.unknown() })
const Failed = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string().catch('') })).min(1),
})
const CODES: Readonly<Record<string, string>> = {
  NOT_FOUND: '404',
  FORBIDDEN: '403',
  INSUFFICIENT_SCOPES: '403',
}

/** GraphQL's answers to refused queries have the status 200 (docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api). */
function graphqlFailureOf({ bytes, headers }: RestAnswer): ProviderError | undefined {
  // A file may contain anything, and has another type.
  if (!headers.get('content-type')?.startsWith('application/json')) return undefined
  const start = bytes.subarray(0, 20).toString('latin1').trimStart()
  if (!/^\{\s*"(?:data|errors)"/.test(start)) return undefined
  const [error] = Failed.safeParse(parseJson(bytes.toString('utf8'))).data?.errors ?? []
  if (error === undefined) return undefined
  const { type, message } = error
  if (type === 'RATE_LIMITED' || /rate limit/i.test(message)) return rateLimited(headers, message)
  // A failure of GitHub itself, such as a timeout, has no type.
  if (type === undefined) return new ProviderError('unavailable', message)
  return new ProviderError('rejected', message, { code: CODES[type] ?? type })
}

/** A suspended app reads nothing, which must not count as a part without permission. */
const suspended = ({ status }: RestAnswer, words: string): ProviderError | undefined =>
  status === 403 && words.startsWith('This installation has been suspended')
    ? new ProviderError('auth', words, { code: String(status) })
    : undefined

/** GitHub has no code for it (docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api). */
function missingPermission({ status }: RestAnswer, words: string): ProviderError | undefined {
  if (status !== 403 || !words.startsWith('Resource not accessible by ')) return undefined
  return new ProviderError('rejected', words, { code: String(status), refusal: 'missing_permission' })
}

/** A page of a list. `next` is the address of the next page, `etag` that of this page. */
interface GitHubPage<Data> {
  data: Data
  next: string | null
  etag: string | null
}

/** GitHub's API as one token sees it. Requests are made one after another, as GitHub asks. */
export interface GitHub {
  readonly apiUrl: string
  /** GitHub's time as of its last answer, in epoch milliseconds. */
  now(): number
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>>
  /** An object by its number; null if it does not exist or the token may not read it. */
  find<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema> | null>
  /** A file's content. */
  raw(path: string): Promise<Buffer>
  /** Null if the page still has the `etag`; such a response counts against no limit. */
  page<Schema extends z.ZodType>(
    address: string,
    schema: Schema,
    etag?: string | null,
  ): Promise<GitHubPage<z.output<Schema>> | null>
  /** A query of the GraphQL API. */
  graphql<Schema extends z.ZodType>(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    schema: Schema,
  ): Promise<z.output<Schema>>
  /**
   * The pages of a list by its path without a query, excluding entries in an unknown format. `field` holds the list
   * if the response is an object.
   */
  pages<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    parameters?: Readonly<Record<string, string>>,
    field?: string,
  ): AsyncGenerator<GitHubPage<z.output<Schema>[]>>
}

export function createGitHub(
  apiUrl: string,
  send: (request: RestRequest) => Promise<RestAnswer>,
  clock: { now(): Date },
): GitHub {
  const oneAtATime = pLimit(1)
  let servedAt: number | null = null
  const request = async (address: string, headers: Record<string, string> = {}): Promise<RestAnswer> => {
    const url =
      address.startsWith('https://') || address.startsWith('http://') ? address : `${apiUrl}/${address}`
    const below = addressBelow(`${apiUrl}/`, url, 'GitHub')
    const answer = await oneAtATime(() => send({ url: below, headers }))
    // Lists omit organizations that need single sign-on; they must not count as deleted.
    const sso = answer.headers.get('x-github-sso') ?? ''
    if (sso.startsWith('partial-results'))
      throw new ProviderError(
        'rejected',
        'The token is not authorized for the single sign-on of an organization: authorize it on GitHub, or name the repositories to read',
      )
    const date = Date.parse(answer.headers.get('date') ?? '')
    servedAt = Number.isNaN(date) ? clock.now().getTime() : date
    return answer
  }
  const graphqlUrl = apiUrl.endsWith('/api/v3') ? apiUrl.replace(/v3$/, 'graphql') : `${apiUrl}/graphql`
  const github: GitHub = {
    apiUrl,
    now: () => servedAt ?? clock.now().getTime(),
    get: async (path, schema) => parseAnswer(await request(path), schema, 'GitHub'),
    find: (path, schema) => findThing(github.get(path, z.unknown()), { schema, name: 'GitHub', isMissing }),
    async graphql(query, variables, schema) {
      const body = JSON.stringify({ query, variables })
      const headers = { 'content-type': 'application/json' }
      const answer = await oneAtATime(() => send({ url: graphqlUrl, method: 'POST', headers, body }))
      const { data } = parseAnswer(answer, Queried, 'GitHub')
      return parseShape(data, schema, 'GitHub')
    },
    raw: async (path) => (await request(path, { accept: 'application/vnd.github.raw+json' })).bytes,
    async page(address, schema, etag = null) {
      const answer = await request(address, etag === null ? {} : { 'if-none-match': etag })
      if (answer.status === 304) return null
      return {
        data: parseAnswer(answer, schema, 'GitHub'),
        next: NEXT.exec(answer.headers.get('link') ?? '')?.[1] ?? null,
        etag: answer.headers.get('etag'),
      }
    },
    async *pages(path, schema, parameters = {}, field) {
      const query = new URLSearchParams({ ...parameters, per_page: String(PER_PAGE) })
      const found = followPages(
        (next) => github.page(next ?? `${path}?${query.toString()}`, listIn(field)),
        (page) => page?.next,
      )
      for await (const page of found)
        if (page !== null) yield { ...page, data: parseKnown(page.data, schema) }
    },
  }
  return github
}

/** A list, or the list in a field of an object. */
const listIn = (field: string | undefined) =>
  z.preprocess((answer) => {
    const fields: Record<string, unknown> = Object(answer)
    return field === undefined ? answer : fields[field]
  }, z.array(z.unknown()))
