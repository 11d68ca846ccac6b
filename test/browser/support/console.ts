import { hash, randomBytes, randomUUID } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { Config } from '../../../console/src/session/config.ts'
import { createConsoleBuild, createGuideBuild } from '../../../src/console/index.ts'
import { loadBuiltinModel } from '../../../src/inference/embedding-models/builtin/builtin.ts'
import type { Role } from '../../../src/kernel/roles.ts'
import type { ProviderId } from '../../../src/kernel/provider-id.ts'
import { addMember } from '../../../src/organizations/index.ts'
import {
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../../support/service.ts'

/** A timeout for hangs only: a page's duration depends on the machine's load. */
const PATIENCE_MS = 60_000

const BROWSER_ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  // Without a GPU, Chromium emulates one for all drawing. With this flag, only for WebGL.
  '--disable-gpu',
  // Pages of one context share a process, with the code that it has compiled.
  '--process-per-site',
]

/** A user in a separate workspace: leftovers of a test affect neither other tests nor its retries. */
export interface Settled {
  organization: TestOrganization
  email: string
  /** Their name at the development issuer. */
  name: string
}

export type TabOptions = Pick<BrowserContextOptions, 'bypassCSP' | 'colorScheme' | 'viewport'>

export interface ConsoleRig {
  service: TestService
  browser: Browser
  /** A workspace with sources, a few documents, a key and that key's activity. */
  organization: TestOrganization
  /** Makes a user known to the service and a member of the workspace. */
  join(email: string, role: Role, organizationId?: string): Promise<void>
  /** A new workspace with its owner, or with a user in the role `role` next to an owner. */
  settle(role?: Role, subscription?: Parameters<TestService['organization']>[0]): Promise<Settled>
  /** Approves a gated provider for a workspace, as the operator does. */
  grant(organizationId: string, provider: ProviderId): Promise<void>
  /** A tab in a separate browser context, which allows axe's script despite the policy. */
  open(options?: Parameters<Browser['newContext']>[0]): Promise<{ context: BrowserContext; page: Page }>
  /**
   * A tab with empty storage in a browser context that later tabs share. Its files are cached: the first page of a
   * context takes a second of CPU, and the next ones a tenth.
   */
  openTab(options?: TabOptions): Promise<{ page: Page; close(): Promise<void> }>
  /**
   * Opens the page of this path as the user with this address, with the session that signing in leads to. That saves
   * two of three page loads, a second each.
   */
  signIn(page: Page, email: string, path?: string): Promise<void>
  /** The same as a user does it: with the button, through the issuer. */
  signInByButton(page: Page, email: string, path?: string): Promise<void>
  close(): Promise<void>
}

/** A real service with the built console, and a browser to look at it. */
export async function startConsole(
  executablePath: string,
  settings: Pick<NonNullable<Parameters<typeof startTestService>[0]>, 'environment' | 'port' | 'sleep'> = {},
): Promise<ConsoleRig> {
  const service = await startTestService({
    consoleBuild: createConsoleBuild(pino({ level: 'silent' })),
    guideBuild: createGuideBuild(pino({ level: 'silent' })),
    embeddingModel: await loadBuiltinModel(),
    ...settings,
  })
  const browser = await chromium.launch({ executablePath, args: BROWSER_ARGUMENTS })
  const organization = await service.organization()
  await fill(service, organization)
  const join: ConsoleRig['join'] = async (email, role, organizationId = organization.id) => {
    const userId = await userIdOf(service, email)
    await addMember(service.database.db, { organizationId, userId, role, at: new Date() })
  }
  const open: ConsoleRig['open'] = async (options) => {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    return { context, page: await context.newPage() }
  }
  let settled = 0
  return {
    service,
    browser,
    organization,
    join,
    async settle(role = 'owner', subscription) {
      const own = await service.organization(subscription)
      settled += 1
      const name = `person-${settled}`
      const email = `${name}@example.com`
      await join(email, role, own.id)
      if (role !== 'owner') await join(`owner-of-${name}@example.com`, 'owner', own.id)
      return { organization: own, email, name }
    },
    async grant(organizationId, provider) {
      const path = `/operator/organizations/${organizationId}/connector-access/${provider}`
      const { status } = await service.call('PUT', path, { key: OPERATOR_TOKEN, body: { enabled: true } })
      expect(status).toBe(200)
    },
    open,
    openTab: tabsOf(service.url, open),
    async signIn(page, email, path = '') {
      await startSession(page, service, email)
      await page.goto(`${service.url}/console/${path}`)
      await untilSignedIn(page)
    },
    async signInByButton(page, email, path = '') {
      await asPerson(page, email)
      await page.goto(`${service.url}/console/${path}`)
      await page.getByRole('button', { name: 'Continue as developer' }).click()
      await untilSignedIn(page)
    },
    async close() {
      await browser.close()
      await service.close()
    },
  }
}

/** Opens tabs in two contexts that last: with and without the pages' policy. */
function tabsOf(url: string, open: ConsoleRig['open']): ConsoleRig['openTab'] {
  const contexts = new Map<boolean, ReturnType<ConsoleRig['open']>>()
  const begin: ConsoleRig['open'] = async (options) => {
    const begun = await open(options)
    // A page that stays open keeps the process in which the next ones start.
    await begun.page.goto(`${url}/healthz`)
    return begun
  }
  return async ({ bypassCSP = false, viewport = null, colorScheme = null } = {}) => {
    const shared = contexts.get(bypassCSP) ?? begin({ bypassCSP })
    contexts.set(bypassCSP, shared)
    const { context, page: keeper } = await shared
    await keeper.evaluate(() => localStorage.clear())
    await context.clearCookies()
    const page = await context.newPage()
    if (viewport) await page.setViewportSize(viewport)
    if (colorScheme) await page.emulateMedia({ colorScheme })
    return { page, close: () => page.close() }
  }
}

/** The sign-in page stays until the issuer has answered, and then until the page of the console has loaded. */
const untilSignedIn = (page: Page): Promise<void> =>
  page.locator('main h1').filter({ hasNotText: 'Sign in' }).waitFor()

/** Puts the session of a user into the tab's storage before the console starts there, once. */
async function startSession(page: Page, service: TestService, email: string): Promise<void> {
  const response = await fetch(`${service.url}/console/config.json`)
  const { publicUrl, signIn }: Config = JSON.parse(await response.text())
  if (signIn.by !== 'development') throw new Error('the service has another issuer')
  const { issuer, clientId, scope } = signIn
  const client = { client_id: clientId, redirect_uri: `${publicUrl}/console/callback` }
  const tokens = await tokensOf(service, email, client, scope)
  const [, claims = ''] = tokens.id_token.split('.')
  const user = {
    ...tokens,
    scope,
    profile: JSON.parse(Buffer.from(claims, 'base64url').toString()),
    expires_at: Math.floor(Date.now() / 1000) + tokens.expires_in,
  }
  const entry = [`oidc.user:${issuer}:${clientId}`, JSON.stringify(user)]
  const once = JSON.stringify(`began-${randomUUID()}`)
  await page.addInitScript(`
    if (location.origin === ${JSON.stringify(publicUrl)} && sessionStorage.getItem(${once}) === null) {
      sessionStorage.setItem(${once}, '')
      sessionStorage.setItem(...${JSON.stringify(entry)})
    }`)
}

/** The development issuer signs in the user in `login_hint`; the console's button sends none. */
async function asPerson(page: Page, email: string): Promise<void> {
  await page.route('**/oidc/authorize?*', async (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('login_hint', email)
    await route.continue({ url: url.href })
  })
}

async function fill(service: TestService, { sources, mint }: TestOrganization): Promise<void> {
  const { secret } = await mint({ actions: ['search', 'context', 'ask', 'ingest'] })
  const texts = [
    [
      'Vacation',
      'Employees accrue 25 days of paid time off per year. Unused days expire in March. Ada Lovelace answers questions.',
    ],
    ['Expenses', 'Receipts go to finance within thirty days. Grace Hopper approves travel to Acme Corp.'],
    [
      'On call',
      'The on-call engineer answers pages within fifteen minutes. Ada Lovelace keeps the schedule.',
    ],
  ]
  await service.call('POST', '/v1/ingest', {
    key: secret,
    body: {
      documents: texts.map(([title = '', body], at) => ({
        connectorId: sources.notion,
        provider: 'notion',
        sourceKind: 'document',
        externalId: `handbook/${at}`,
        title,
        body,
        url: `https://wiki.example.com/${title.toLowerCase().replace(' ', '-')}`,
      })),
    },
  })
  await service.call('POST', '/v1/context', {
    key: secret,
    body: { query: 'How many vacation days do I get?' },
  })
  await service.app.readForCanvas()
}

/** The id of the user with this address at the development issuer. */
async function userIdOf(service: TestService, email: string): Promise<string> {
  const client = { client_id: 'command-line', redirect_uri: 'http://127.0.0.1/callback' }
  const { access_token: key } = await tokensOf(service, email, client, 'openid')
  const me = await service.call('GET', '/v1/console/me', { key })
  const userId: string = me.body.user.id
  return userId
}

interface Tokens {
  access_token: string
  id_token: string
  expires_in: number
}

/** What the development issuer gives a client for a user. */
async function tokensOf(
  service: TestService,
  email: string,
  client: { client_id: string; redirect_uri: string },
  scope: string,
): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...client,
    response_type: 'code',
    scope,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    login_hint: email,
  })
  const sent = await fetch(`${service.url}/oidc/authorize?${query.toString()}`, { redirect: 'manual' })
  const code = new URL(sent.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const response = await fetch(`${service.url}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...client, grant_type: 'authorization_code', code, code_verifier: verifier }),
  })
  return JSON.parse(await response.text())
}

/**
 * Opens another page of the console as its links do, and waits until it is settled. It needs a fraction of the CPU of a
 * load, because all code (and axe) is there. The page's title must not contain the former one's.
 */
export async function follow(page: Page, path: string): Promise<void> {
  const title = page.locator('main h1')
  const former = await title.innerText()
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/console/${path}`)})`)
  await title.filter({ hasNotText: former }).waitFor()
  await expectSettled(page)
}

/** Waits until the page shows what it has loaded. */
export async function expectSettled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  // Chromium answers from the old style, in which a panel that was just read is hidden, until a layout applies `:has()`.
  await page.locator('html').evaluate(({ offsetHeight }) => offsetHeight)
}

/** Expects that axe finds no violation once all fades have ended. */
export async function expectNoFaults(page: Page, where: string, rules?: string[]): Promise<void> {
  await expect
    .poll(() => faultsOf(page, rules), { message: where, timeout: 10_000, interval: 300 })
    .toEqual([])
}

/** The same in both themes, as when the system's theme changes. Leaves the page dark. */
export async function expectNoFaultsInThemes(page: Page, where: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('html[data-mantine-color-scheme="light"]').waitFor()
  await expectNoFaults(page, `${where}, light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await expectNoFaults(page, `${where}, dark`, OF_THEMES)
}

/** Checks that depend on the theme; the elements do not. */
export const OF_THEMES = ['color-contrast', 'link-in-text-block']

/** Expects that the page is not wider than the screen, and no table wider than its container. */
export async function expectFits(page: Page, where: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  const overhang = (): Promise<number> =>
    page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
  const message = `${where} at ${width} pixels`
  await expect.poll(overhang, { message, timeout: 10_000 }).toBeLessThanOrEqual(0)
  await expectTablesFit(page, where, width)
}

/** The same for tables, except one that is only for screen readers. */
export async function expectTablesFit(page: Page, where: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  const overhang = (): Promise<number> =>
    page.locator('main table').evaluateAll((tables) => {
      const beyond = tables.map((table) => {
        const room = table.parentElement?.clientWidth ?? 0
        return room > 1 ? table.getBoundingClientRect().width - room : 0
      })
      return Math.max(0, ...beyond)
    })
  const message = `the tables of ${where} at ${width} pixels`
  await expect.poll(overhang, { message, timeout: 10_000 }).toBeLessThanOrEqual(1)
}

/** The page's cumulative layout shift (https://web.dev/articles/cls), measured with browser APIs only. */
export function layoutShiftOf(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const sum = (list) => list.getEntries().reduce((total, { value }) => total + value, 0)
    new PerformanceObserver((list) => resolve(sum(list))).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(0), 300)
  })`)
}

async function faultsOf(page: Page, rules?: string[]): Promise<string[]> {
  // The script is 650 kB, so a page that already has it does not get it again.
  const isLoaded = await page.evaluate(() => 'axe' in globalThis)
  // No page holds another (the policy forbids frames), so none is opened beside it to put their results together.
  const axe = new AxeBuilder({ page, ...(isLoaded ? { axeSource: 'undefined' } : {}) }).setLegacyMode()
  // Scalar draws the API reference, with smaller buttons.
  const hasSizes = new URL(page.url()).pathname !== '/docs'
  const chosen = rules
    ? axe.withRules(rules)
    : axe.options({ rules: { 'target-size': { enabled: hasSizes } } })
  const { violations } = await chosen.analyze()
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html)
        .join(' | ')
        .slice(0, 400)}`,
  )
}
