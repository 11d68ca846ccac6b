import type { TextExtractor } from '../../file-text/index.ts'
import { type Pausable, runCooperatively } from '../../kernel/cooperative.ts'
import type { ProviderCaller } from '../retried-calls.ts'
import { isRejected, ProviderError, type ProviderSession, returnIf } from '../adapter.ts'
import { AGENT, type FetchPage, type PageAnswer } from './fetch-page.ts'
import type { WebSite } from './form.ts'
import { ALLOWS_EVERYTHING, parseRobots, type Robots, ROBOTS_BYTES_MAX } from './robots.ts'
import { createSite, type Site } from './site.ts'
import { readSitemap, type Sitemap, unpackSitemap } from './sitemap.ts'

const SITEMAPS_MAX = 20
const SITEMAP_BYTES_MAX = 10 * 1024 * 1024
/** Pages of all sitemaps. */
const DATES_MAX = 50_000
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const HOPS_MAX = 5
const DELAY_MS = 1_000
const DELAY_MS_MAX = 10_000

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
  { call, fetchPage, extractor }: { call: ProviderCaller; fetchPage: FetchPage; extractor: TextExtractor },
): Promise<Crawler> {
  const { signal, limits, clock } = session
  let delayMs = 0
  let isSecure = false
  const get: Crawler['get'] = async (url, headers = {}, bytesMax = limits.maxDownloadBytes) => {
    const timeoutMs = limits.requestTimeoutMs
    const request = async (address: URL): Promise<PageAnswer> =>
      await call(session, async () => {
        if (delayMs > 0) await session.wait(delayMs)
        return await fetchPage(address, { headers, bytesMax, timeoutMs, signal, now: clock.now() })
      })
    const secure = securely(url)
    if (isSecure) return await request(secure)
    const answer = await request(url)
    // The site has moved to https since it was connected. Its pages keep their ids.
    isSecure = secure.href !== url.href && targetOf(answer, url)?.href === secure.href
    return isSecure ? await request(secure) : answer
  }
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

function securely(url: URL): URL {
  const secure = new URL(url)
  secure.protocol = 'https:'
  return secure
}

/** Where a redirect leads; null for other responses. */
export function targetOf({ status, header }: PageAnswer, url: URL): URL | null {
  return REDIRECTS.has(status) ? URL.parse(header('location') ?? '', url.href) : null
}

/** Without a readable file, everything is allowed; without an answer, nothing is (RFC 9309 §2.3.1). */
async function readRobots(get: Crawler['get'], url: URL): Promise<Robots> {
  const answer = await getFile(get, url)
  if (answer?.status !== 200) return ALLOWS_EVERYTHING
  return parseRobots(answer.bytes.subarray(0, ROBOTS_BYTES_MAX).toString('utf8'), AGENT)
}

/** A file for crawlers, here or where the site redirects; null if it is refused. An outage is an error. */
async function getFile(get: Crawler['get'], first: URL, bytesMax?: number): Promise<PageAnswer | null> {
  for (let [url, hops] = [first, 0]; hops < HOPS_MAX; hops += 1) {
    const answer = await get(url, {}, bytesMax).catch(returnIf(isRejected, null))
    const target = answer && targetOf(answer, url)
    if (target?.host !== first.host) return answer
    url = target
  }
  return null
}

/** The dates of the site's pages in its sitemaps, as written, by key. `isPartial`: a sitemap cannot be read. */
export async function readSitemaps({
  get,
  robots,
  site,
  settings,
  session,
}: Crawler): Promise<{ dates: Map<string, string>; isPartial: boolean }> {
  const dates = new Map<string, string>()
  let isPartial = false
  const origin = new URL(settings.origin)
  const waiting = robots.sitemaps.length > 0 ? [...robots.sitemaps] : ['/sitemap.xml']
  const seen = new Set<string>()
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const url = URL.parse(address, settings.origin)
    if (url === null || url.host !== origin.host || seen.has(url.href) || seen.size >= SITEMAPS_MAX) continue
    seen.add(url.href)
    const answer = await getFile(get, site.urlOf(url.pathname + url.search), SITEMAP_BYTES_MAX)
    const xml = answer?.status === 200 ? await unpackSitemap(answer.bytes).catch(() => null) : null
    isPartial ||= xml === null && answer?.status !== 404 && answer?.status !== 410
    const { pages, sitemaps } = await runCooperatively(readSitemap(xml ?? ''), session.signal)
    await runCooperatively(
      addDates(dates, pages, (page) => site.keyOf(page, origin)),
      session.signal,
    )
    waiting.push(...sitemaps.slice(0, SITEMAPS_MAX))
  }
  return { dates, isPartial }
}

function* addDates(
  dates: Map<string, string>,
  pages: Sitemap['pages'],
  keyOf: (address: string) => string | null,
): Pausable<void> {
  for (const { address, lastModified } of pages) {
    yield
    if (dates.size >= DATES_MAX) return
    const key = keyOf(address)
    // A copy: a slice would keep the whole sitemap in memory.
    if (key !== null) dates.set(key, Buffer.from(lastModified.slice(0, 40)).toString())
  }
}
