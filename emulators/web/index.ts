import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import {
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
  startEmulatorServer,
} from '../kit/server.ts'

export interface WebEmulator extends Pick<EmulatorServer, 'url' | 'faults' | 'requests' | 'close'> {
  /** A page by its path with query: HTML, or a complete answer. */
  put(path: string, page: string | EmulatorReply): void
  remove(path: string): void
  robots: string | null
  /** The content of sitemaps by path; by default one at `/sitemap.xml` lists every page that is HTML. */
  readonly sitemaps: Map<string, string>
  hasSitemap: boolean
  /** Requests that a polite crawler would not send. */
  readonly impolite: string[]
  /** Requests that got 304. */
  readonly notModified: string[]
}

interface Page {
  answer: EmulatorReply
  modifiedAt: number
  isListed: boolean
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const escaped = (text: string): string => text.replaceAll('&', '&amp;')

/** A web site whose pages have validators and a sitemap. It records what a polite crawler would not do. */
export async function startWebEmulator({
  now = Date.now,
  port = 0,
}: { now?: () => number; port?: number } = {}): Promise<WebEmulator> {
  const pages = new Map<string, Page>()
  let active = 0

  function answer(request: EmulatorRequest): EmulatorReply {
    const query = request.query.toString()
    const path = request.path + (query === '' ? '' : `?${query}`)
    if (path === '/robots.txt') return site.robots === null ? { status: 404 } : { text: site.robots }
    const sitemap = site.sitemaps.get(path) ?? (path === '/sitemap.xml' && site.hasSitemap ? listed() : null)
    if (sitemap !== null) return { text: sitemap, headers: { 'content-type': 'application/xml' } }
    const page = pages.get(path)
    return page === undefined ? { status: 404, text: 'Not found' } : conditional(request, path, page)
  }

  function conditional({ headers }: EmulatorRequest, path: string, page: Page): EmulatorReply {
    if (!page.isListed) return page.answer
    const etag = `"${createHash('sha256').update(String(page.answer.text)).digest('hex').slice(0, 16)}"`
    const modified = new Date(page.modifiedAt).toUTCString()
    // RFC 9110 §13.2.2: If-Modified-Since counts only without If-None-Match.
    const isSame =
      headers['if-none-match'] === undefined
        ? headers['if-modified-since'] === modified
        : headers['if-none-match'] === etag
    if (isSame) site.notModified.push(path)
    const validators = { etag, 'last-modified': modified }
    return isSame
      ? { status: 304, headers: validators }
      : { ...page.answer, headers: { ...validators, ...page.answer.headers } }
  }

  const listed = (): string => {
    const entries = [...pages].flatMap(([path, { isListed, modifiedAt }]) =>
      isListed
        ? `<url><loc>${escaped(server.url + path)}</loc><lastmod>${new Date(modifiedAt).toISOString()}</lastmod></url>`
        : [],
    )
    return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`
  }

  const server = await startEmulatorServer({
    port,
    async handle(request) {
      active += 1
      if (active > 1) site.impolite.push(`two requests at once: ${request.path}`)
      if (request.method !== 'GET') site.impolite.push(`${request.method} ${request.path}`)
      if (!/^[\w.]+\/\d/.test(request.headers['user-agent'] ?? '')) site.impolite.push('no user agent')
      await setImmediate()
      active -= 1
      return answer(request)
    },
  })

  const site: WebEmulator = {
    ...server,
    robots: null,
    sitemaps: new Map(),
    hasSitemap: true,
    impolite: [],
    notModified: [],
    put(path, page) {
      const isListed = typeof page === 'string'
      pages.set(path, {
        answer: isListed ? { text: page, headers: HTML } : page,
        modifiedAt: now(),
        isListed,
      })
    },
    remove: (path) => void pages.delete(path),
  }
  return site
}
