import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWebEmulator, type WebEmulator } from '../../../emulators/web/index.ts'
import { createProviderHarness, type ProviderHarness } from '../../../test/support/provider-harness.ts'
import { createTextExtractor } from '../../file-text/index.ts'
import { createWebAdapter, type WebAdapterOptions } from './adapter.ts'

const extractor = createTextExtractor()
const HOUR = 3_600_000
const signal = new AbortController().signal
let site: WebEmulator

beforeEach(async () => {
  site = await startWebEmulator()
  site.hasSitemap = false
  site.put('/', page('Home', '<a href="/a">A</a>'))
})
afterEach(async () => {
  await site.close()
  if (site.impolite.length > 0) throw new Error(site.impolite.join('\n'))
})
afterAll(() => extractor.close())

const page = (title: string, rest = ''): string =>
  `<title>${title}</title><h1>${title}</h1><p>Text.</p>${rest}`
const adapterOf = (options: Partial<WebAdapterOptions> = {}) =>
  createWebAdapter({
    clock: { now: () => new Date() },
    extractor,
    isAllowed: (address) => address === '127.0.0.1',
    ...options,
  })

async function connect(fields: Record<string, string> = {}, options: Partial<WebAdapterOptions> = {}) {
  const adapter = adapterOf(options)
  const { credentials, ...account } = await adapter.connect({ start: `${site.url}/`, ...fields }, signal)
  const extra = credentials.extra ?? {}
  return createProviderHarness({ adapter, account, accessToken: () => '', extra })
}

const titles = ({ items }: ProviderHarness): string[] =>
  [...items.values()].map(({ title }) => title).toSorted()
const paths = ({ items }: ProviderHarness): string[] =>
  [...items.keys()].map((id) => id.slice(site.url.length)).toSorted()
const asked = (path: string): number => site.requests.byPath()[path] ?? 0

describe('a site to connect', () => {
  it.each([
    ['', /^start is required/],
    ['example.com', /must contain only addresses that begin with/],
    ['ftp://example.com/', /must contain only addresses that begin with/],
    ['https://user:secret@example.com/', /must contain only addresses that begin with/],
    ['https://a.example/\nhttps://b.example/', /on one host/],
    [Array.from({ length: 21 }, (_, at) => `https://a.example/${at}`).join('\n'), /at most 20/],
  ])('is refused as %j', async (start, message) => {
    const refused = adapterOf().connect({ start }, signal)
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(refused).rejects.toThrow(message)
  })

  it.each([
    { pages: '0' },
    { pages: '2001' },
    { pages: 'many' },
    { under: 'docs' },
    { under: '/a?b' },
    { other: 'x' },
  ])('is refused with %j', async (fields) => {
    await expect(connect(fields as Record<string, string>)).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  it('is refused when its page does not exist, or is on another host', async () => {
    await expect(connect({ start: `${site.url}/none` })).rejects.toMatchObject({ kind: 'rejected' })
    site.put('/', { status: 301, headers: { location: site.url.replace('127.0.0.1', 'localhost') } })
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    site.put('/elsewhere', {
      status: 302,
      headers: { location: `${site.url.replace('127.0.0.1', 'b.example')}/a` },
    })
    site.put('/a', page('A'))
    await expect(connect({ start: `${site.url}/elsewhere` }, { resolve })).rejects.toThrow(
      /^start redirects to b\.example:\d+; enter/,
    )
  })
})

describe('private addresses', () => {
  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://[::1]/',
    'http://169.254.169.254/latest/',
    'http://2130706433/',
  ])('are refused: %s', async (start) => {
    const adapter = createWebAdapter({ clock: { now: () => new Date() }, extractor })
    await expect(adapter.connect({ start }, signal)).rejects.toThrow(/not at a public address/)
  })

  it('are refused when a name changes its address after it was connected, and by redirects to them', async () => {
    let address = '127.0.0.1'
    const url = `http://wiki.example:${new URL(site.url).port}`
    const sync = await connect({ start: `${url}/` }, { resolve: async () => [{ address, family: 4 }] })
    address = '10.0.0.1'
    await expect(sync.run()).rejects.toThrow(/not at a public address/)
    expect(asked('/robots.txt')).toBe(0)
    site.put('/', { status: 302, headers: { location: 'http://10.0.0.1/' } })
    await expect(connect()).rejects.toThrow(/not at a public address/)
  })
})

describe('a run', () => {
  it('follows links of the same host, below the path, once each, and no further than the pages allow', async () => {
    const links = [
      '/docs/b#part',
      'docs/b',
      '/other',
      'https://elsewhere.example/',
      '/picture.png',
      'mailto:a@b.example',
      '//x',
    ]
    site.put('/docs/', page('Docs', links.map((link) => `<a href="${link}">x</a>`).join('')))
    site.put('/docs/b', page('B', '<a href="/docs/">up</a><a rel="nofollow" href="/docs/c">c</a>'))
    site.put('/docs/docs/b', page('Deep'))
    for (const path of ['/other', '/docs/c', '/picture.png']) site.put(path, page('Not read'))
    const sync = await connect({ start: `${site.url}/docs/`, under: '/docs/' })
    await sync.run()
    expect(paths(sync)).toEqual(['/docs/', '/docs/b', '/docs/docs/b'])
    expect(asked('/docs/b')).toBe(1)
    const small = await connect({ start: `${site.url}/docs/`, pages: '2' })
    await small.run()
    expect(small.items.size).toBe(2)
  })

  it('makes items with title, text, address, folder and date', async () => {
    site.put('/a', '<title>Home</title><nav>Menu</nav><main><h1>Painting</h1><p>In spring.</p></main>')
    const sync = await connect({ start: `${site.url}/a` })
    await sync.run()
    expect([...sync.items.values()]).toMatchObject([
      {
        externalId: `${site.url}/a`,
        sourceKind: 'document',
        title: 'Painting',
        body: '# Painting\n\nIn spring.',
        url: `${site.url}/a`,
        sourceUpdatedAt: expect.any(Date),
        metadata: { workspace: new URL(site.url).host, permalink: `${site.url}/a` },
      },
    ])
  })

  it('obeys robots.txt: what it forbids, its delay, and its sitemaps', async () => {
    site.robots = `User-agent: *\nDisallow: /a\nCrawl-delay: 3\nSitemap: ${site.url}/maps/index.xml`
    site.sitemaps.set(
      '/maps/index.xml',
      `<sitemapindex><sitemap><loc>${site.url}/maps/1.xml</loc></sitemap></sitemapindex>`,
    )
    site.sitemaps.set(
      '/maps/1.xml',
      `<urlset><url><loc>${site.url}/b</loc></url><url><loc>${site.url}/a</loc></url><url><loc>https://elsewhere.example/</loc></url></urlset>`,
    )
    site.put('/a', page('A'))
    site.put('/b', page('B'))
    const sync = await connect()
    await sync.run()
    expect(titles(sync)).toEqual(['B', 'Home'])
    expect(asked('/a')).toBe(0)
    expect(sync.waitedMs).toBe(4 * 3_000)
    site.robots = 'User-agent: RetrievalMemoryService\nDisallow: /'
    await expect(sync.run({ fullResync: true })).rejects.toThrow(/forbids the start pages/)
    expect(sync.items.size).toBe(2)
  })

  it('reads a compressed sitemap, and ignores a broken one', async () => {
    const packed = gzipSync(`<urlset><url><loc>${site.url}/b</loc></url></urlset>`)
    const labeled = gzipSync(`<urlset><url><loc>${site.url}/c</loc></url></urlset>`)
    site.robots = ['map', 'labeled', 'broken'].map((name) => `Sitemap: ${site.url}/${name}.xml.gz`).join('\n')
    site.put('/map.xml.gz', { bytes: packed })
    site.put('/labeled.xml.gz', { bytes: labeled, headers: { 'content-encoding': 'gzip' } })
    site.put('/broken.xml.gz', { bytes: packed.subarray(0, 20) })
    site.put('/b', page('B'))
    site.put('/c', page('C'))
    const sync = await connect()
    await sync.run()
    expect(titles(sync)).toEqual(['B', 'C', 'Home'])
  })

  it('requests a page again after six hours, conditionally, and removes missing pages', async () => {
    site.put('/a', page('A'))
    const sync = await connect()
    await sync.run()
    sync.now += HOUR
    expect((await sync.run()).discovered).toBe(0)
    sync.now += 6 * HOUR
    expect(await sync.run()).toMatchObject({ discovered: 2, ingested: [], deleted: [] })
    expect(site.notModified.toSorted()).toEqual(['/', '/a'])
    site.put('/a', { status: 410 })
    sync.now += 6 * HOUR
    expect((await sync.run()).deleted).toEqual([`${site.url}/a`])
  })

  it('stores one page for copies and redirects', async () => {
    site.put('/', page('Home', '<a href="/a?from=home">a</a><a href="/old">old</a><a href="/out">out</a>'))
    site.put('/a?from=home', page('A', '<link rel="canonical" href="/a">'))
    site.put('/a', page('A', `<link rel="canonical" href="${site.url}/a">`))
    site.put('/old', { status: 301, headers: { location: '/a' } })
    site.put('/out', { status: 302, headers: { location: 'https://elsewhere.example/' } })
    const sync = await connect()
    const report = await sync.run()
    expect(paths(sync)).toEqual(['/', '/a'])
    expect(report.failures).toEqual([])
  })

  it('reads one of two pages that name each other as the original', async () => {
    site.put('/a', page('A', '<link rel="canonical" href="/b">'))
    site.put('/b', page('B', '<link rel="canonical" href="/a">'))
    const sync = await connect()
    await sync.run()
    expect(paths(sync)).toEqual(['/', '/b'])
  })

  it('leaves out pages that ask for it, follows no links there, and removes them later', async () => {
    site.put('/a', page('A', '<meta name="robots" content="NOINDEX, nofollow"><a href="/b">b</a>'))
    site.put('/b', page('B'))
    const sync = await connect()
    await sync.run()
    expect(titles(sync)).toEqual(['Home'])
    site.put('/', { text: page('Home'), headers: { 'content-type': 'text/html', 'x-robots-tag': 'noindex' } })
    sync.now += 6 * HOUR
    await sync.run()
    expect(titles(sync)).toEqual([])
  })

  it('reads text and Markdown, and no pictures, whatever the address', async () => {
    site.put('/', page('Home', '<a href="/notes.md">n</a><a href="/picture">p</a>'))
    site.put('/notes.md', { text: '# Notes\n\nSome.', headers: { 'content-type': 'text/markdown' } })
    site.put('/picture', { bytes: Buffer.from([1, 2]), headers: { 'content-type': 'image/png' } })
    const sync = await connect()
    await sync.run()
    expect(titles(sync)).toEqual(['Home', 'Notes'])
  })

  it('reports pages that are too large or compressed, and keeps their stored content', async () => {
    site.put('/a', page('A'))
    const sync = await connect()
    await sync.run()
    site.put('/a', { text: `<p>${'x'.repeat(6 * 1024 * 1024)}`, headers: { 'content-type': 'text/html' } })
    site.put('/', { text: page('Home'), headers: { 'content-type': 'text/html', 'content-encoding': 'br' } })
    sync.now += 6 * HOUR
    const { failures } = await sync.run()
    expect(failures.map(({ message }) => message).toSorted()).toEqual([
      'The page is compressed, although an uncompressed one was requested',
      'The page is larger than 5 MiB and is not read',
    ])
    expect(titles(sync)).toEqual(['A', 'Home'])
  })

  it('of a full resync fails and removes nothing when the site refuses the start page', async () => {
    site.put('/a', page('A'))
    const sync = await connect()
    await sync.run()
    for (const status of [403, 404]) {
      site.put('/', { status })
      await expect(sync.run({ fullResync: true })).rejects.toMatchObject({ kind: 'rejected' })
    }
    expect(sync.items.size).toBe(2)
  })

  it('with other settings needs a crawl', async () => {
    const sync = await connect()
    await sync.run()
    sync.session.extra['pagesMax'] = 7
    await expect(sync.run()).rejects.toMatchObject({ kind: 'cursor_expired' })
  })
})
