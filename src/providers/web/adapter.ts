import { isPublicAddress, type Resolve, systemResolve } from '../../guarded-requests/addresses.ts'
import { createOpenRequest } from '../../guarded-requests/guarded-request.ts'
import { createFormConnection, formFault } from '../form.ts'
import { DEFAULT_PROVIDER_LIMITS, type FormAdapter, ProviderError, type ProviderSession } from '../adapter.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AdapterDependencies } from '../provider.ts'
import { createProviderCaller } from '../retried-calls.ts'
import { createCrawler } from './crawler.ts'
import { createFetchPage, type FetchPage } from './fetch-page.ts'
import { type WebSite, webForm, WebSite as WebSiteSchema } from './form.ts'
import { readSitePage, syncSite } from './sync.ts'

const HOPS_MAX = 5
/** A user waits. */
const CONNECT_TIMEOUT_MS = 10_000

export interface WebAdapterOptions extends AdapterDependencies {
  /** Pages of the site per page of a run; 20 by default. */
  pagesPerPage?: number
  /** For tests: how names are resolved, and which addresses may be connected to; only public ones by default. */
  resolve?: Resolve
  isAllowed?: (address: string) => boolean
}

export function createWebAdapter(options: WebAdapterOptions): FormAdapter {
  const { clock, extractor, pagesPerPage: perPage = 20 } = options
  const request = createOpenRequest(options.resolve ?? systemResolve, options.isAllowed ?? isPublicAddress)
  const fetchPage = createFetchPage(request)
  const call = createProviderCaller()
  const open = (session: ProviderSession, settings: WebSite) =>
    createCrawler(session, settings, { call, fetchPage, extractor })
  return {
    provider: 'web',
    ...createFormConnection(webForm, async ({ start, under = '/', pages: pagesMax }, signal) => {
      const first = await findPage(fetchPage, start[0] ?? new URL('about:blank'), clock, signal)
      const { host, origin } = first
      if (start.some((url) => url.host !== host))
        throw formFault('start', `start redirects to ${host}; enter the addresses of that host`)
      const keys = start.map(({ pathname, search }) => pathname + search)
      const site: WebSite = { origin, start: [...new Set(keys)], under, pagesMax }
      return { externalAccountId: host, displayName: host, extra: site }
    }),
    async *listChanges(session, input) {
      const settings = WebSiteSchema.parse(session.extra)
      const begin = () => open(session, settings)
      yield* syncSite(session, input, settings, { begin, perPage })
    },
    async readItem(session, { externalId, cursor }) {
      const settings = WebSiteSchema.parse(session.extra)
      return await readSitePage(await open(session, settings), externalId, cursor)
    },
  }
}

/**
 * The final address of the first start page, because sites redirect to https or to another host. @throws
 * ProviderError
 */
async function findPage(fetchPage: FetchPage, first: URL, clock: Clock, signal: AbortSignal): Promise<URL> {
  let url = first
  for (let hops = 0; hops < HOPS_MAX; hops += 1) {
    const { status, header } = await fetchPage(url, {
      bytesMax: DEFAULT_PROVIDER_LIMITS.maxDownloadBytes,
      timeoutMs: CONNECT_TIMEOUT_MS,
      signal,
      now: clock.now(),
    })
    if (status === 200) return url
    const target = status >= 300 && status < 400 ? URL.parse(header('location') ?? '', url.href) : null
    if (target === null || !/^https?:$/.test(target.protocol))
      throw new ProviderError('rejected', `${url.host} answered with status ${status}`, {
        code: String(status),
      })
    url = target
  }
  throw new ProviderError('rejected', `${first.host} redirects too many times`)
}
