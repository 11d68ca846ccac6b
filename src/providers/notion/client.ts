import { z } from 'zod'
import { parseJson } from '../../kernel/parse-json.ts'
import { VERSION } from '../../kernel/version.ts'
import { ProviderError, type ProviderSession } from '../adapter.ts'
import { createRest, parseAnswer, type RestAnswer, type RestOptions, type RestRequest } from '../rest.ts'

/** How to call Notion's API. */
export const NOTION: RestOptions = {
  name: 'Notion',
  headers: { 'user-agent': `RetrievalMemoryService/${VERSION}`, 'notion-version': '2025-09-03' },
  curedByNewToken: (error) => error.code === 'unauthorized',
  refused: refusalOf,
}

/** The codes that decide what is done (developers.notion.com/reference/status-codes); others are the status. */
const Failure = z.object({
  code: z
    .enum([
      'unauthorized',
      'restricted_resource',
      'object_not_found',
      'invalid_request',
      'invalid_request_url',
      'validation_error',
    ])
    .optional()
    .catch(undefined),
  /** RFC 6749 §5.2. */
  error: z.literal('invalid_client').optional().catch(undefined),
})

function refusalOf({ status, bytes }: RestAnswer, words: string, wait: number | undefined): ProviderError {
  const { data } = Failure.safeParse(parseJson(bytes.toString('utf8')))
  const code = data?.code ?? data?.error ?? String(status)
  const refusal = code === 'restricted_resource' ? 'access_refused' : null
  return new ProviderError(kindOf(status), words, { code, refusal, retryAfterMs: wait })
}

function kindOf(status: number): ProviderError['kind'] {
  // 529 is Notion's own "service overload", with a Retry-After like 429.
  if (status === 429 || status === 529) return 'rate_limited'
  if (status === 401) return 'auth'
  // 501: the route does not exist, so waiting cannot help.
  return status === 408 || status === 409 || (status >= 500 && status !== 501) ? 'unavailable' : 'rejected'
}

/** What every part of a run needs to reach Notion. */
export interface NotionRun {
  session: ProviderSession
  /** Requests a path below `/v1/`, with POST if there is a body. @throws ProviderError */
  call<Schema extends z.ZodType>(path: string, schema: Schema, body?: object): Promise<z.output<Schema>>
  /** Notion's time, from its last answer: edits are compared with it, not with the local clock. */
  serverTime(): Date
}

const jsonRequest = (url: string, body: object): RestRequest => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Runs of sources of any account. */
export function createNotionRuns(apiUrl: string): (session: ProviderSession) => NotionRun {
  const rest = createRest(NOTION)
  return (session) => {
    let served: Date | null = null
    return {
      session,
      call(path, schema, body) {
        const url = `${apiUrl}/v1/${path}`
        return rest.read(session, body === undefined ? { url } : jsonRequest(url, body), (answer) => {
          const date = Date.parse(answer.headers.get('date') ?? '')
          if (!Number.isNaN(date)) served = new Date(date)
          return parseAnswer(answer, schema, NOTION.name)
        })
      },
      serverTime: () => served ?? session.clock.now(),
    }
  }
}

/** Whether an object does not exist for us: deleted permanently, or no longer shared. */
export function isNotFound(error: unknown): boolean {
  return (
    error instanceof ProviderError &&
    (error.code === 'object_not_found' || error.code === 'restricted_resource')
  )
}

/** The same for requests by id. Using a page's id as a data source's, or the reverse, is a validation error. */
export function isNotThere(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ProviderError && error.code === 'validation_error')
}

/** Whether there is no such data source or database, or no route for them. */
export function isUnsupported(error: unknown): boolean {
  return isNotThere(error) || isEndpointMissing(error)
}

const NO_ENDPOINT = new Set(['invalid_request_url', '404', '405', '501'])

/** Whether the route does not exist: an older API version or a gateway answered. */
export function isEndpointMissing(error: unknown): boolean {
  return error instanceof ProviderError && NO_ENDPOINT.has(error.code ?? '')
}
