import type { TextExtractor } from '../../file-text/index.ts'
import { runCooperatively } from '../../kernel/cooperative.ts'
import { createProviderCaller } from '../retried-calls.ts'
import { isRejected, ProviderError, type ProviderSession, returnIf } from '../adapter.ts'
import { AGENT, type FetchPage, type PageAnswer } from './fetch-page.ts'
import type { WebSite } from './form.ts'
import { ALLOWS_EVERYTHING, parseRobots, type Robots, ROBOTS_BYTES_MAX } from './robots.ts'
import { createSite, type Site } from './site.ts'
import { readSitemap, unpackSitemap } from './sitemap.ts'

const SITEMAPS_MAX = 20
const SITEMAP_BYTES_MAX = 10 * 1024 * 1024
const HOPS_MAX = 5
const DELAY_MS = 1_000
const DELAY_MS_MAX = 10_000

export type WebCaller = ReturnType<typeof createProviderCaller>
/** Waits for rate limits and outages; there are no tokens to renew. */
export const createWebCaller = (): WebCaller =>
  createProviderCaller({ toProviderError: () => null, curedByNewToken: () => false })

/** Requests only what a site's robots.txt allows, one page at a time, with pauses. */
export interface Crawler {
  session: ProviderSession
  extractor: TextExtractor
  settings: WebSite
  site: Site
  robots: Robots
  delayMs: number
  /** Requests an address of the site. @throws ProviderError */
  get(url: URL, headers?: Record<string, string>, bytesMax?: number): Promise<PageAnswer>
}

/** Starts a run by reading robots.txt. @throws ProviderError if that or the first page may not be read */
export async function createCrawler(
  session: ProviderSession,
  settings: WebSite,
  { call, fetchPage, extractor }: { call: WebCaller; fetchPage: FetchPage; extractor: TextExtractor },
): Promise<Crawler> {
  const { signal, limits, clock } = session
  let delayMs = 0
  const get: Crawler['get'] = async (url, headers = {}, bytesMax = limits.maxDownloadBytes) =>
    await call(session, async () => {
      if (delayMs > 0) await session.wait(delayMs)
      const timeoutMs = limits.requestTimeoutMs
      return await fetchPage(url, { headers, bytesMax, timeoutMs, signal, now: clock.now() })
    })
  const site = createSite(settings)
  const robots = await readRobots(get, new URL('/robots.txt', settings.origin))
  delayMs = Math.min(DELAY_MS_MAX, Math.max(DELAY_MS, robots.delaySeconds * 1_000))
  if (!settings.start.some((key) => robots.allows(key)))
    throw new ProviderError(
      'rejected',
      `robots.txt of ${new URL(settings.origin).host} forbids the start pages`,
    )
  return { session, extractor, settings, site, robots, delayMs, get }
}

/** Without a readable file, everything is allowed; without an answer, nothing is (RFC 9309 §2.3.1). */
async function readRobots(get: Crawler['get'], first: URL): Promise<Robots> {
  for (let [url, hops] = [first, 0]; hops < HOPS_MAX; hops += 1) {
    // A file that is disallowed or unreadable counts as missing; an outage does not.
    const answer = await get(url, {}, ROBOTS_BYTES_MAX).catch(returnIf(isRejected, null))
    if (answer?.status === 200) return parseRobots(answer.bytes.toString('utf8'), AGENT)
    const target = answer === null ? null : URL.parse(answer.header('location') ?? '', url.href)
    if (target?.host !== first.host || answer === null || answer.status < 300 || answer.status >= 400) break
    url = target
  }
  return ALLOWS_EVERYTHING
}

/** The pages of the site's sitemaps with their dates, as written. */
export async function readSitemaps({
  get,
  robots,
  settings,
  session,
}: Crawler): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const { host } = new URL(settings.origin)
  const waiting = robots.sitemaps.length > 0 ? [...robots.sitemaps] : ['/sitemap.xml']
  const seen = new Set<string>()
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const url = URL.parse(address, settings.origin)
    if (url === null || url.host !== host || seen.has(url.href) || seen.size >= SITEMAPS_MAX) continue
    seen.add(url.href)
    // A file that is disallowed or unreadable counts as missing; an outage does not.
    const answer = await get(
      new URL(url.pathname + url.search, settings.origin),
      {},
      SITEMAP_BYTES_MAX,
    ).catch(returnIf(isRejected, null))
    if (answer?.status !== 200) continue
    const xml = await unpackSitemap(answer.bytes).catch(() => '')
    const { pages: found, sitemaps } = await runCooperatively(readSitemap(xml), session.signal)
    for (const page of found) pages.set(page.address, page.lastModified.slice(0, 40))
    waiting.push(...sitemaps.slice(0, SITEMAPS_MAX))
  }
  return pages
}
