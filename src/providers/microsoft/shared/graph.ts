import { z } from 'zod'
import { isPublicAddress, systemResolve } from '../../../guarded-requests/addresses.ts'
import { createGuardedFetch } from '../../../guarded-requests/guarded-fetch.ts'
import { createOpenRequest } from '../../../guarded-requests/guarded-request.ts'
import { VERSION } from '../../../kernel/version.ts'
import { createProviderCaller } from '../../retried-calls.ts'
import { ProviderError, type ProviderSession } from '../../adapter.ts'
import { followPages } from '../../pages.ts'
import { addressBelow, createRest, findThing, type RestAnswer, sendRequest } from '../../rest.ts'

const NAME = 'Microsoft'
/** https://learn.microsoft.com/graph/errors */
const STALE = /"(?:resync\w+|syncState(?:NotFound|Invalid))"/i

const Page = z.object({
  value: z.array(z.unknown()),
  '@odata.nextLink': z.string().optional(),
  '@odata.deltaLink': z.string().optional(),
})

const Identified = z.object({ id: z.string().min(1) })

export interface GraphPage<Entry> {
  entries: Entry[]
  /** The ids of entries in an unknown format. Those without an id are ignored. */
  unknown: string[]
  next: string | null
  /** Where the next round of changes begins. */
  delta: string | null
}

/**
 * Microsoft Graph as one account sees it. Addresses are paths under `/v1.0/`, or links from an earlier page. Each
 * call throws ProviderError, with `cursor_expired` for a delta token that Graph no longer accepts.
 */
export interface Graph {
  get<Schema extends z.ZodType>(address: string, schema: Schema): Promise<z.output<Schema>>
  /**
   * The same, or null if the object does not exist or the account may not see it. @throws `rejected` for an object in
   * an unknown format, because others can be read
   */
  find<Schema extends z.ZodType>(address: string, schema: Schema): Promise<z.output<Schema> | null>
  page<Schema extends z.ZodType>(address: string, schema: Schema): Promise<GraphPage<z.output<Schema>>>
  /** Every entry of a list, except those in an unknown format. */
  all<Schema extends z.ZodType>(address: string, schema: Schema): Promise<z.output<Schema>[]>
  /** The bytes of a Graph response. */
  bytes(address: string): Promise<Buffer>
  /** The bytes at an address that Graph returned; the request carries no token. */
  download(url: string): Promise<Buffer>
}

/** `headers` are those of every request. */
export function createGraphs(
  apiUrl: string,
  headers: Readonly<Record<string, string>> = {},
): (session: ProviderSession) => Graph {
  const base = `${apiUrl}/v1.0/`
  const rest = createRest({
    name: NAME,
    headers: { 'user-agent': `RetrievalMemoryService/${VERSION}`, ...headers },
    refused: ({ status, bytes }, words) =>
      status === 410 || (status < 500 && STALE.test(bytes.toString('utf8', 0, 2_000)))
        ? new ProviderError('cursor_expired', words, { code: String(status) })
        : undefined,
  })
  const download = createDownload(apiUrl)

  const urlOf = (address: string): string =>
    /^https?:/.test(address) ? addressBelow(base, address, NAME) : base + address

  return (session) => {
    const get: Graph['get'] = (address, schema) => rest.json(session, { url: urlOf(address) }, schema)
    const page: Graph['page'] = async (address, schema) => {
      const found = await get(address, Page)
      return {
        ...sorted(found.value, schema),
        next: found['@odata.nextLink'] ?? null,
        delta: found['@odata.deltaLink'] ?? null,
      }
    }
    return {
      get,
      page,
      find: (address, schema) => findThing(get(address, z.unknown()), { schema, name: NAME, isMissing }),
      async all(address, schema) {
        const pages = followPages(
          (next) => page(next ?? address, schema),
          ({ next }) => next,
        )
        return (await Array.fromAsync(pages)).flatMap(({ entries }) => entries)
      },
      async bytes(address) {
        return (await rest.send(session, { url: urlOf(address), headers: { accept: '*/*' } })).bytes
      },
      download: (url) => download(session, url),
    }
  }
}

/** One entry of an unknown format must not stop a source. */
function sorted<Schema extends z.ZodType>(
  values: readonly unknown[],
  schema: Schema,
): Pick<GraphPage<z.output<Schema>>, 'entries' | 'unknown'> {
  const entries: z.output<Schema>[] = []
  const unknown: string[] = []
  for (const value of values) {
    const entry = schema.safeParse(value)
    if (entry.success) entries.push(entry.data)
    else {
      const { data } = Identified.safeParse(value)
      if (data !== undefined) unknown.push(data.id)
    }
  }
  return { entries, unknown }
}

/** Whether Graph has no such object. */
export const isMissing = (error: unknown): boolean => error instanceof ProviderError && error.code === '404'

/** The same, or the account may not open it. */
export const isClosed = (error: unknown): boolean =>
  isMissing(error) || (error instanceof ProviderError && error.code === '403')

/** Whether Graph no longer accepts a delta token. */
export const isStale = (error: unknown): boolean =>
  error instanceof ProviderError && error.kind === 'cursor_expired'

/** Downloads from public addresses, and from Graph's own address if the operator configured one. */
function createDownload(apiUrl: string): (session: ProviderSession, url: string) => Promise<Buffer> {
  const call = createProviderCaller()
  const guarded = createGuardedFetch(createOpenRequest(systemResolve, isPublicAddress))
  const own = new URL(apiUrl).origin
  return async (session, url) => {
    const isOwn = URL.parse(url)?.origin === own
    const options = { name: NAME, refused: refusedDownload, ...(!isOwn && { fetch: guarded }) }
    const { limits, signal, clock } = session
    const { bytes } = await call(session, () =>
      sendRequest({ url, headers: { accept: '*/*' } }, options, {
        signal,
        timeoutMs: limits.requestTimeoutMs,
        bytesMax: limits.maxDownloadBytes,
        now: clock.now(),
      }),
    )
    return bytes
  }
}

// Such an address is valid for an hour, and a later run gets another one.
const refusedDownload = ({ status }: RestAnswer, words: string): ProviderError | undefined =>
  status === 401 || status === 403 || status === 404 ? new ProviderError('rejected', words) : undefined
