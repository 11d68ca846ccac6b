import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWebEmulator, type WebEmulator } from '../../../emulators/web/index.ts'
import { createProviderHarness, type ProviderHarness } from '../../../test/support/provider-harness.ts'
import { createTextExtractor } from '../../file-text/index.ts'
import { createWebAdapter } from './adapter.ts'
import { createProviderCaller } from '../retried-calls.ts'
import { createCrawler } from './crawler.ts'
import type { PageAnswer } from './fetch-page.ts'
import { syncSite } from './sync.ts'

const extractor = createTextExtractor()
const HOURS = 3_600_000
const signal = new AbortController().signal
let site: WebEmulator

beforeEach(async () => {
  site = await startWebEmulator()
  site.hasSitemap = false
  site.put('/', page('Home', '/a', '/b'))
  site.put('/a', page('A', '/a/deep'))
  site.put('/a/deep', page('Deep'))
  site.put('/b', page('B'))
})
afterEach(() => site.close())
afterAll(() => extractor.close())

const page = (title: string, ...links: string[]): string =>
  `<title>${title}</title><p>Text of ${title}.</p>${links.map((link) => `<a href="${link}">x</a>`).join('')}`
const away = { status: 302, headers: { location: 'https://elsewhere.example/' } }

async function connect(fields: Record<string, string> = {}): Promise<ProviderHarness> {
  const adapter = createWebAdapter({
    clock: { now: () => new Date() },
    extractor,
    isAllowed: (address) => address === '127.0.0.1',
  })
  const { credentials, ...account } = await adapter.connect({ start: `${site.url}/`, ...fields }, signal)
  const extra = credentials.extra ?? {}
  return createProviderHarness({ adapter, account, accessToken: () => '', extra, limits: { maxAttempts: 1 } })
}

async function connected(fields: Record<string, string> = {}): Promise<ProviderHarness> {
  const sync = await connect(fields)
  await sync.run()
  sync.now += 6 * HOURS
  return sync
}

const paths = ({ items }: ProviderHarness): string[] =>
  [...items.keys()].map((id) => id.slice(site.url.length)).toSorted()
const ALL = ['/', '/a', '/a/deep', '/b']

describe('a page', () => {
  it('that is missing for a while returns, although the pages that link to it are unchanged', async () => {
    const sync = await connected()
    site.remove('/b')
    expect((await sync.run()).deleted).toEqual([`${site.url}/b`])
    site.put('/b', page('B'))
    sync.now += 6 * HOURS
    await sync.run()
    expect(paths(sync)).toEqual(ALL)
  })

  it('that stays missing is requested no longer than a day, and takes no room of others', async () => {
    site.put('/', page('Home', '/none', '/a', '/b'))
    const sync = await connect({ pages: '4' })
    await sync.run()
    expect(paths(sync)).toEqual(ALL)
    for (let run = 0; run < 6; run += 1) {
      sync.now += 6 * HOURS
      await sync.run()
    }
    expect(site.requests.byPath()['/none']).toBe(3)
  })

  it('whose original redirects back to it is stored', async () => {
    site.put('/', page('Home', '/a/', '/b'))
    site.put('/a', { status: 301, headers: { location: '/a/' } })
    site.put('/a/', `<link rel="canonical" href="/a">${page('A')}`)
    const sync = await connect()
    await sync.run()
    expect(paths(sync)).toEqual(['/', '/a/', '/b'])
    sync.now += 6 * HOURS
    expect((await sync.run()).deleted).toEqual([])
  })

  it('whose original does not exist is stored, also when that is deleted later', async () => {
    site.put('/a', `<link rel="canonical" href="/none">${page('A')}`)
    site.put('/b', `<link rel="canonical" href="/original">${page('B')}`)
    site.put('/original', page('B'))
    const sync = await connected()
    expect(paths(sync)).toEqual(['/', '/a', '/original'])
    site.remove('/original')
    await sync.run()
    expect(paths(sync)).toEqual(['/', '/a', '/b'])
  })

  it('that redirects to itself keeps its stored content', async () => {
    const sync = await connected()
    site.put('/b', { status: 302, headers: { location: '/b' } })
    expect((await sync.run()).failures).toMatchObject([{ message: 'The page redirects to itself' }])
    expect(paths(sync)).toEqual(ALL)
  })
})

describe('a site', () => {
  it.each([
    ['is switched off', { status: 404 }],
    ['moves to another host', away],
  ])('that %s fails the run and loses nothing', async (_what, answer) => {
    const sync = await connected()
    for (const path of ALL) site.put(path, answer)
    for (const fullResync of [false, true])
      await expect(sync.run({ fullResync })).rejects.toThrow(/The start page .* does not exist or redirects/)
    expect(paths(sync)).toEqual(ALL)
  })

  it('may lose one of its start pages', async () => {
    const sync = await connected({ start: `${site.url}/b\n${site.url}/` })
    site.remove('/b')
    expect((await sync.run()).deleted).toEqual([`${site.url}/b`])
    await sync.run({ fullResync: true })
    expect(paths(sync)).toEqual(['/', '/a', '/a/deep'])
  })

  it('with several broken pages in a row is read to its end', async () => {
    const broken = ['/1', '/2', '/3', '/4', '/5']
    site.put('/', page('Home', ...broken, '/a', '/b'))
    for (const path of broken) site.put(path, { status: 500 })
    const sync = await connect()
    expect((await sync.run()).failures).toHaveLength(5)
    expect(paths(sync)).toEqual(ALL)
  })

  it.each([[500], [403]])('keeps the pages below one that answers %i to a full resync', async (status) => {
    const sync = await connected()
    site.put('/a', { status })
    site.remove('/b')
    await sync.run({ fullResync: true })
    expect(paths(sync)).toEqual(['/', '/a', '/a/deep'])
  })

  it('keeps the pages of a sitemap that a full resync cannot read', async () => {
    site.put('/alone', page('Alone'))
    site.hasSitemap = true
    const sync = await connected()
    site.faults.add({ path: '/sitemap.xml', status: 403 })
    await sync.run({ fullResync: true })
    expect(paths(sync)).toEqual(['/', '/a', '/a/deep', '/alone', '/b'])
  })

  it('whose sitemap is a redirect to an index is read', async () => {
    site.put('/sitemap.xml', { status: 301, headers: { location: '/index.xml' } })
    site.put('/alone', page('Alone'))
    site.sitemaps.set('/index.xml', `<urlset><url><loc>${site.url}/alone</loc></url></urlset>`)
    const sync = await connect()
    await sync.run()
    expect(paths(sync)).toContain('/alone')
  })

  it('with a robots.txt over the limit is read by the rules within it', async () => {
    site.robots = `User-agent: *\nDisallow: /b\n${'# long\n'.repeat(100_000)}`
    const sync = await connect()
    await sync.run()
    expect(paths(sync)).toEqual(['/', '/a', '/a/deep'])
  })

  it('is read below a path with letters that addresses encode', async () => {
    site.put('/', page('Home', '/über/uns', '/b'))
    site.put('/%C3%BCber/uns', page('Uns'))
    const sync = await connect({ under: '/über/' })
    await sync.run()
    expect(paths(sync)).toEqual(['/', '/%C3%BCber/uns'])
  })

  it('is not left for a path that begins with two slashes', async () => {
    site.put('//elsewhere.example/', page('Two'))
    site.robots = `Sitemap: ${site.url}//elsewhere.example/map.xml`
    const sync = await connect({ start: `${site.url}/\n${site.url}//elsewhere.example/` })
    expect((await sync.run()).failures).toEqual([])
    expect(paths(sync)).toContain('//elsewhere.example/')
  })
})

it('a site that has moved to https keeps its pages and their ids', async () => {
  const requested: string[] = []
  const answer = (status: number, header: Record<string, string>, text = ''): PageAnswer => ({
    status,
    header: (name) => header[name] ?? null,
    bytes: Buffer.from(text),
  })
  const fetchPage = async (url: URL): Promise<PageAnswer> => {
    requested.push(url.href)
    if (isMoved && url.protocol === 'http:')
      return answer(301, { location: url.href.replace('http:', 'https:') })
    if (url.pathname.endsWith('.txt') || url.pathname.endsWith('.xml')) return answer(404, {})
    return answer(200, { 'content-type': 'text/html' }, page(url.pathname, '/a'))
  }
  const settings = { origin: 'http://docs.example', start: ['/'], under: '/', pagesMax: 10 }
  const call = createProviderCaller()
  const adapter = {
    provider: 'web',
    connect: () => Promise.reject(new Error('not used')),
    listChanges: (...[session, input]: Parameters<ReturnType<typeof createWebAdapter>['listChanges']>) =>
      syncSite(session, input, settings, {
        begin: () => createCrawler(session, settings, { call, fetchPage, extractor }),
        perPage: 20,
      }),
  }
  const account = { externalAccountId: 'docs.example', displayName: 'docs.example' }
  const sync = createProviderHarness({ adapter, account, accessToken: () => '' })
  let isMoved = false
  await sync.run()
  isMoved = true
  sync.now += 6 * HOURS
  expect(await sync.run()).toMatchObject({ ingested: [], deleted: [], failures: [] })
  expect([...sync.items.keys()]).toEqual(['http://docs.example/', 'http://docs.example/a'])
  // Only the first request finds out.
  expect(requested.slice(-5).filter((url) => url.startsWith('http:'))).toEqual([
    'http://docs.example/robots.txt',
  ])
})
