import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { get, IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ROOT } from '../support/doc-pages.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  layoutShiftOf,
  OF_THEMES,
  startConsole,
} from './support/console.ts'

const FIRST_VIEW_BYTES_MAX = 200_000
/** The API reference is one large script, which the browser caches. */
const REFERENCE_BYTES_MAX = 1_300_000
/** One of each kind: home, steps with a drawing, code, wide tables, prose, and a page from outside docs/. */
const PAGES = [
  '',
  'tutorials/connect-slack.html',
  'guides/go-to-production.html',
  'reference/settings.html',
  'explanation/architecture.html',
  'decisions/0021-candidates-from-snapshots.html',
]
const executablePath = inject('chromium')

let rig: ConsoleRig

/** The browser's complaints, policy violations, and requests to other hosts. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== rig.service.url) complaints.push(request.url())
  })
  return complaints
}

const open = async (page: Page, path: string): Promise<void> => {
  await page.goto(`${rig.service.url}/guide/${path}`, { waitUntil: 'networkidle' })
}

describe.skipIf(executablePath === null)('the guide in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(() => rig.close())

  it('shows every page without console errors, accessibility violations or layout shifts, in both themes and on a phone', async () => {
    const { page, close } = await rig.openTab({ colorScheme: 'light', bypassCSP: true })
    const complaints = complaintsOf(page)
    for (const path of PAGES) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: 1280, height: 720 })
      await open(page, path)
      expect(await layoutShiftOf(page), path).toBeLessThan(0.01)
      await expectNoFaults(page, `${path}, light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('html.dark').waitFor()
      await expectNoFaults(page, `${path}, dark`, OF_THEMES)
      await expectFits(page, path, 360)
    }
    expect(complaints).toEqual([])
    await close()
  })

  it('loads a first view of less than 200 kB, all of it from this service, under its policy', async () => {
    for (const path of ['', 'reference/errors.html']) {
      const { context, page } = await rig.open()
      const complaints = complaintsOf(page)
      const sizes: Promise<number>[] = []
      page.on('response', (response) => {
        sizes.push(
          response
            .request()
            .sizes()
            .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
        )
      })
      await open(page, path)
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
      expect(bytes).toBeGreaterThan(20_000)
      expect(bytes, path).toBeLessThan(FIRST_VIEW_BYTES_MAX)
      expect(complaints).toEqual([])
      await context.close()
    }
  })

  it('needs less than 200 kB for every page with its pictures, scripts and styles', async () => {
    const sizes = new Map<string, Promise<number>>()
    const sizeOf = (address: string): Promise<number> => {
      const size = sizes.get(address) ?? transferredBytes(address).then(({ bytes }) => bytes)
      sizes.set(address, size)
      return size
    }
    const files = await readdir(new URL('site/dist/', `file://${ROOT}`), { recursive: true })
    const heavy: string[] = []
    for (const file of files.filter((name) => name.endsWith('.html'))) {
      const { text, bytes } = await transferredBytes(`/guide/${file}`)
      const parts = new Set(
        [...text.matchAll(/(?:src|href)="(\/guide\/[^"#?]+\.(?:js|css|webp|svg))"/g)].map(
          ([, part = '']) => part,
        ),
      )
      const all = (await Promise.all([...parts].map(sizeOf))).reduce((sum, size) => sum + size, bytes)
      expect(parts.size, file).toBeGreaterThan(2)
      if (all >= FIRST_VIEW_BYTES_MAX) heavy.push(`${file}: ${all}`)
    }
    expect(heavy).toEqual([])
  })

  it("shows the service's own pages without accessibility violations or layout shifts, in both themes and on a phone", async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await page.setExtraHTTPHeaders({ accept: 'text/html' })
    for (const path of ['', 'nothing/here', 'errors', 'v1/oauth/slack/callback?state=x&code=y']) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: 1280, height: 720 })
      await page.goto(`${rig.service.url}/${path}`)
      expect(await layoutShiftOf(page), path).toBeLessThan(0.01)
      await expectNoFaults(page, `${path}, light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      await expectNoFaults(page, `${path}, dark`, OF_THEMES)
      await expectFits(page, path, 360)
    }
    await close()
  })

  it('finds a page by its words, without another host, and opens it', async () => {
    const { page, close } = await rig.openTab()
    const complaints = complaintsOf(page)
    await open(page, '')
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox').fill('rotate the encryption key')
    await page.getByRole('option').filter({ hasText: 'Rotate secrets' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Rotate secrets' }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  it('has a page of the site for every page of the documentation', async () => {
    const { page, close } = await rig.openTab()
    await open(page, 'tutorials/first-answer.html')
    const linked = await page
      .locator('.VPSidebar a')
      .evaluateAll((links) =>
        links.map((link) => link.getAttribute('href')?.replace(/^\/guide\/|\.html$/g, '')),
      )
    const files = await readdir(new URL('docs/', `file://${ROOT}`), { recursive: true })
    const pages = files.filter(
      (name) => name.endsWith('.md') && name !== 'index.md' && !name.startsWith('decisions/0'),
    )
    expect(pages.map((name) => name.replace(/\.md$/, '')).filter((name) => !linked.includes(name))).toEqual(
      [],
    )
    for (const path of linked)
      expect((await fetch(`${rig.service.url}/guide/${path}.html`)).status, path).toBe(200)
    await close()
  })

  it('shows the API reference without a fault of accessibility, in both themes', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(`${rig.service.url}/docs`, { waitUntil: 'networkidle' })
      await page.getByRole('heading', { level: 1, name: 'Retrieval Memory Service' }).waitFor()
      await expectNoFaults(page, `/docs, ${colorScheme}`, colorScheme === 'light' ? undefined : OF_THEMES)
    }
    await close()
  })

  it("shows the API reference with a title, separates the console's operations, and tries an operation with a key", async () => {
    const { page, close } = await rig.openTab({ viewport: { width: 1280, height: 900 } })
    const complaints = complaintsOf(page)
    await page.goto(`${rig.service.url}/docs#tag/sources/GET/v1/sources`, { waitUntil: 'networkidle' })
    expect(await page.title()).toContain('API reference')
    await page.getByPlaceholder('Token').first().fill(rig.organization.adminKey)
    await page.getByRole('button', { name: /Test Request.*get \/v1\/sources\)/ }).click()
    await page.getByRole('button', { name: /^Send/ }).first().click()
    await page.getByRole('link', { name: '200 OK' }).waitFor()
    const groups: { name: string; tags: string[] }[] = (await rig.service.call('GET', '/openapi.json')).body[
      'x-tagGroups'
    ]
    expect(groups.map(({ name }) => name)).toEqual(['API', 'Webhooks', 'Console', 'Operation'])
    const { bytes: script } = await transferredBytes('/docs/js/scalar.js')
    expect(script).toBeLessThan(REFERENCE_BYTES_MAX)
    expect(complaints).toEqual([])
    await close()
  })
})

/** A file as the service sends it to a browser that accepts compression, with its size. */
async function transferredBytes(address: string): Promise<{ text: string; bytes: number }> {
  const request = get(`${rig.service.url}${address}`, { headers: { 'Accept-Encoding': 'br, gzip' } })
  const [response]: unknown[] = await once(request, 'response')
  if (!(response instanceof IncomingMessage) || response.statusCode !== 200) throw new Error(`no ${address}`)
  const body = await buffer(response)
  const encoding = response.headers['content-encoding']
  const plain = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body
  return { text: plain.toString(), bytes: body.length }
}
