import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { PAGES } from '../../console/src/data/pages.ts'
import { documentOf } from '../support/documents.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  expectNoFaultsInThemes,
  expectSettled,
  follow,
  startConsole,
} from './support/console.ts'

const FIRST_VIEW_BYTES_MAX = 250_000
const OWNER = 'ada@example.com'
const MEMBER = 'mel@example.com'
const executablePath = inject('chromium')

let rig: ConsoleRig

/** The browser's complaints: script errors, and violations of the content security policy. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

describe.skipIf(executablePath === null)('the console in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
    await rig.join(OWNER, 'owner')
    await rig.join(MEMBER, 'member')
  })
  afterAll(() => rig.close())

  it("leads from the service's root to sign-in by one click, to Home, and back out", async () => {
    const { page, close } = await rig.openTab()
    const complaints = complaintsOf(page)
    await page.goto(rig.service.url)
    expect(new URL(page.url()).pathname).toBe('/console/')
    await rig.signInByButton(page, OWNER)
    expect(await page.title()).toContain('Memory console')
    await page.getByRole('region', { name: 'Sources' }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts()).toEqual(
      PAGES.map(({ label }) => label),
    )
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(
      await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('user'))),
    ).toEqual([])
    expect(complaints).toEqual([])
    await close()
  })

  it('opens every page by its URL, also after sign-in, without a browser complaint', async () => {
    const { page, close } = await rig.openTab()
    const complaints = complaintsOf(page)
    await rig.signInByButton(page, OWNER, 'developers')
    expect(new URL(page.url()).pathname).toBe('/console/developers')
    for (const { label: name, path } of PAGES) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
      await expectSettled(page)
      expect(new URL(page.url()).pathname).toBe(`/console${path}`)
      // Ask is opened to write.
      const start = name === 'Ask' ? page.getByRole('textbox', { name: 'Question' }) : page.locator('main h1')
      await expect
        .poll(() => start.evaluate((element) => element.matches(':focus')), {
          message: name,
          timeout: 30_000,
        })
        .toBe(true)
    }
    expect(complaints).toEqual([])
    await close()
  })

  it('guides a new user through the first steps, ticks completed ones, and disappears after the last', async () => {
    const { organization: fresh, email } = await rig.settle()
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email)
    const list = page.getByRole('region', { name: 'Get started' })
    await list.getByText('0 of 4 done').waitFor()
    const { secret } = await fresh.mint({ actions: ['search', 'ingest'] })
    await page.reload()
    await list.getByText('1 of 4 done').waitFor()
    await rig.service.call('POST', '/v1/search', { key: secret, body: { query: 'vacation' } })
    await page.reload()
    await list.getByText('3 of 4 done').waitFor()
    await list.getByRole('link', { name: 'Add a source' }).click()
    await page.getByRole('heading', { name: 'Add a source' }).waitFor()
    await rig.service.call('POST', '/v1/ingest', { key: secret, body: { documents: [documentOf(fresh)] } })
    await page.getByRole('link', { name: 'Home' }).click()
    await page.reload()
    await page.getByRole('region', { name: 'Sources' }).waitFor()
    expect(await list.count()).toBe(0)
    await close()
  })

  it('shows on Home how often the memory was used, by day and by caller, and never the questions', async () => {
    const { organization, email } = await rig.settle()
    const { id, secret } = await organization.mint()
    const { db } = rig.service.database
    await db.updateTable('api_keys').set({ name: 'Support bot' }).where('id', '=', id).execute()
    await rig.service.call('POST', '/v1/ingest', {
      key: secret,
      body: { documents: [documentOf(organization)] },
    })
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email)
    const panel = page.getByRole('region', { name: 'Recent activity' })
    await panel.getByText('No activity in the last 14 days.').waitFor()
    for (const path of ['/v1/search', '/v1/context', '/v1/search'])
      await rig.service.call('POST', path, { key: secret, body: { query: 'a secret question' } })
    await page.reload()
    await panel.getByText('Support bot: 3').waitFor()
    const days = panel.getByRole('list', { name: 'Activity by day' }).getByRole('listitem')
    expect(await days.count()).toBe(14)
    expect(await days.last().getAttribute('aria-label')).toMatch(/: 3 requests$/)
    expect(await days.first().getAttribute('aria-label')).toMatch(/: 0 requests$/)
    expect(await page.content()).not.toContain('a secret question')
    await close()
  })

  it('shows on every page that the service is unreachable, and recovers when it is back', async () => {
    const { context, page } = await rig.open({ bypassCSP: true })
    await rig.signIn(page, OWNER, 'developers')
    await page.getByRole('region', { name: 'API keys' }).waitFor()
    await context.route(/\/(v1|readyz|console\/assets)/, (route) => route.abort())
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Members' }).click()
    await page.getByText('The service is unreachable or was updated').waitFor()
    await expectNoFaults(page, 'a page without its file')
    await context.unroute(/\/(v1|readyz|console\/assets)/)
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/members')
    await context.route(/\/(v1|readyz)/, (route) => route.abort())
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit' }).click()
    await page.getByText('This page continues when the service is back.').waitFor()
    await expectNoFaults(page, 'an outage')
    await context.unroute(/\/(v1|readyz)/)
    await page.getByRole('table', { name: 'Audit events' }).waitFor()
    await page.getByText('This page continues').waitFor({ state: 'detached' })
    await context.close()
  })

  it('says why the workspace cannot be loaded, and loads it on request', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await page.route('**/v1/console/me', (route) =>
      route.fulfill({ status: 500, json: { error: 'Something broke', code: 'internal' } }),
    )
    await rig.signIn(page, OWNER, 'members')
    await page.getByRole('heading', { name: 'Workspace not loaded' }).waitFor()
    await page.getByRole('alert').getByText('Something broke').waitFor()
    await expectNoFaults(page, 'a workspace that is not loaded')
    await page.unroute('**/v1/console/me')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
    await close()
  })

  it('offers to delete all threads only if they could be loaded', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const threads = '**/v1/console/threads?*'
    await page.route(threads, (route) =>
      route.fulfill({ status: 400, json: { error: 'No threads today', code: 'validation_failed' } }),
    )
    await rig.signIn(page, OWNER, 'ask')
    const list = page.getByRole('region', { name: 'Your threads' })
    await list.getByText('No threads today').waitFor()
    expect(await list.getByRole('button', { name: 'Delete all' }).count()).toBe(0)
    await page.unroute(threads)
    await close()
  })

  it('hides admin pages from a member, in the navigation and by URL', async () => {
    const { page, close } = await rig.openTab()
    await rig.signIn(page, MEMBER)
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    expect(await links.allInnerTexts()).toEqual(['Home', 'Ask', 'Memory', 'Settings'])
    for (const path of ['sources', 'developers', 'audit', 'billing', 'members']) {
      await page.goto(`${rig.service.url}/console/${path}`)
      await page.getByRole('heading', { name: 'For admins only' }).waitFor()
    }
    await close()
  })

  it('returns to sign-in when the service ends the session, and from there to the page before', async () => {
    const { page, close } = await rig.openTab()
    await rig.signInByButton(page, OWNER, 'audit')
    await expectSettled(page)
    await page.route('**/v1/console/**', (route) =>
      route.fulfill({ status: 401, json: { error: 'The token has expired', code: 'unauthenticated' } }),
    )
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByText('Your session has ended').waitFor()
    await page.unroute('**/v1/console/**')
    await page.getByRole('button', { name: 'Continue as developer' }).click()
    await page.getByRole('heading', { name: 'Billing' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/billing')
    await close()
  })

  it('is on every page without a fault that axe finds, in both themes, and fits phones and tablets', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true, viewport: { width: 1280, height: 800 } })
    await page.goto(`${rig.service.url}/console/`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expectNoFaultsInThemes(page, 'sign-in')
    await rig.signInByButton(page, OWNER)
    await expectSettled(page)
    for (const path of [...PAGES.map((one) => one.path.slice(1)), 'memory?view=table']) {
      if (path !== '') await follow(page, path)
      await expectNoFaultsInThemes(page, path)
      for (const width of [360, 768, 1024]) await expectFits(page, path, width)
      await page.setViewportSize({ width: 1280, height: 800 })
    }
    await close()
  })

  it('loads at most 250 KB for its first view, no script from elsewhere, and keeps tokens from other tabs', async () => {
    const { context, page } = await rig.open()
    const loaded = new Set<string>()
    page.on('response', (response) => {
      const { pathname, origin } = new URL(response.url())
      expect(origin).toBe(rig.service.url)
      if (pathname.startsWith('/console/')) loaded.add(pathname.slice('/console/'.length))
    })
    await rig.signInByButton(page, OWNER)
    await expectSettled(page)
    const dist = new URL('../../console/dist/', import.meta.url)
    let bytes = 0
    for (const name of loaded) {
      const sizes = await Promise.all(
        [`${name || 'index.html'}.br`, name || 'index.html'].map((file) =>
          stat(new URL(file, dist)).then(
            ({ size }) => size,
            () => null,
          ),
        ),
      )
      bytes += sizes.find((size) => size !== null) ?? 0
    }
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThan(FIRST_VIEW_BYTES_MAX)
    const other = await context.newPage()
    await other.goto(`${rig.service.url}/console/`)
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toMatch(/token|eyJ/)
    expect(await context.cookies()).toEqual([])
    await context.close()
  })

  it('is served without a warning of the process', async () => {
    const warnings: string[] = []
    const note = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', note)
    const page = await fetch(`${rig.service.url}/console/`)
    expect(await page.text()).toContain('<title>')
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('opens and closes its navigation by keyboard on a phone', async () => {
    const { page, close } = await rig.openTab({ viewport: { width: 360, height: 740 } })
    await rig.signIn(page, OWNER)
    await page.getByRole('button', { name: 'Navigation' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('link', { name: 'Audit' }).press('Enter')
    await page.getByRole('heading', { name: 'Audit' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/console/audit')
    await close()
  })

  it('has the styles of every component of its library', async () => {
    const dist = new URL('../../console/dist/assets/', import.meta.url)
    const packages = fileURLToPath(new URL('../../console/node_modules/', import.meta.url))
    const every = await readFile(join(packages, '@mantine', 'core', 'styles.layer.css'), 'utf8')
    const files = await readdir(dist)
    const read = async (ending: string): Promise<string> =>
      (
        await Promise.all(
          files.filter((name) => name.endsWith(ending)).map((name) => readFile(new URL(name, dist), 'utf8')),
        )
      ).join('')
    // The library's class names.
    const classesOf = (text: string): Set<string> => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))
    const used = classesOf(await read('.js')).intersection(classesOf(every))
    expect(used.size).toBeGreaterThan(40)
    expect([...used.difference(classesOf(await read('.css')))]).toEqual([])
  })

  it('shows by keyboard where it is, in both themes', async () => {
    const { page, close } = await rig.openTab({ colorScheme: 'light' })
    await rig.signIn(page, OWNER)
    await expectSettled(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
      for (let stop = 0; stop < 12; stop++) {
        await page.keyboard.press('Tab')
        const ring = await page
          .locator(':focus')
          .evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle)
        expect(ring, `stop ${stop}, ${colorScheme}`).not.toBe('none')
      }
    }
    await close()
  })

  it("has no inline script and no other host's URL in any of its files", async () => {
    const dist = new URL('../../console/dist/', import.meta.url)
    const page = await readFile(new URL('index.html', dist), 'utf8')
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/)
    expect(
      [...page.matchAll(/(?:src|href)="([^"]+)"/g)].every(([, address]) => address?.startsWith('/')),
    ).toBe(true)
    expect((await readdir(dist, { recursive: true })).some((name) => name.endsWith('.map'))).toBe(false)
  })
})
