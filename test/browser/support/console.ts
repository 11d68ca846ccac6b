import { hash, randomBytes } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { pino } from 'pino'
import { expect } from 'vitest'
import { createConsoleBuild, createGuideBuild } from '../../../src/console/index.ts'
import { loadBuiltinModel } from '../../../src/inference/embedding-models/builtin/builtin.ts'
import type { Role } from '../../../src/kernel/actions.ts'
import type { ProviderId } from '../../../src/kernel/providers.ts'
import { addMember } from '../../../src/organizations/index.ts'
import {
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../../support/service.ts'

/** It only ends what hangs: how long a page takes depends on what else the machine does. */
const PATIENCE_MS = 60_000

/** The pages of the navigation, as it names them. */
export const PAGES = {
  Home: '',
  Ask: 'ask',
  Sources: 'sources',
  Memory: 'memory',
  Developers: 'developers',
  Audit: 'audit',
  Billing: 'billing',
  Members: 'members',
} as const

/** Somebody in a workspace of their own: what a test leaves behind there meets no other test, nor the same one tried again. */
export interface Settled {
  organization: TestOrganization
  email: string
  /** What the development issuer calls them. */
  name: string
}

export interface ConsoleRig {
  service: TestService
  browser: Browser
  /** A workspace with sources, a few documents, a key and what that key did. */
  organization: TestOrganization
  /** Makes somebody known to the service and a member of the workspace. */
  join(email: string, role: Role, organizationId?: string): Promise<void>
  /** A workspace that nobody else has, with the person who owns it, or is what `role` says beside an owner. */
  settle(role?: Role, subscription?: Parameters<TestService['organization']>[0]): Promise<Settled>
  /** Lets a workspace connect a gated provider, as the operator does. */
  grant(organizationId: string, provider: ProviderId): Promise<void>
  /** A tab of a browser of its own. What it does to axe's script the policy would forbid. */
  open(options?: Parameters<Browser['newContext']>[0]): Promise<{ context: BrowserContext; page: Page }>
  /** Signs in by the button, as the person of this address, at the page of this path. */
  signIn(page: Page, email: string, path?: string): Promise<void>
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
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  const organization = await service.organization()
  await fill(service, organization)
  const join: ConsoleRig['join'] = async (email, role, organizationId = organization.id) => {
    const userId = await userIdOf(service, email)
    await addMember(service.database.db, { organizationId, userId, role, at: new Date() })
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
    async open(options) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
      context.setDefaultTimeout(PATIENCE_MS)
      return { context, page: await context.newPage() }
    },
    async signIn(page, email, path = '') {
      await asPerson(page, email)
      await page.goto(`${service.url}/console/${path}`)
      await page.getByRole('button', { name: 'Continue as developer' }).click()
      // The page of the button has such a heading as well, and is left only once the issuer has answered.
      await page.locator('main h1').filter({ hasNotText: 'Sign in' }).waitFor()
    },
    async close() {
      await browser.close()
      await service.close()
    },
  }
}

/** The development issuer signs in whoever `login_hint` names; the console's button names nobody. */
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

/** The id of the person whom the development issuer knows by this address. */
async function userIdOf(service: TestService, email: string): Promise<string> {
  const client = { client_id: 'command-line', redirect_uri: 'http://127.0.0.1/callback' }
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...client,
    response_type: 'code',
    scope: 'openid',
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
  const { access_token: key }: { access_token: string } = JSON.parse(await response.text())
  const me = await service.call('GET', '/v1/console/me', { key })
  const userId: string = me.body.user.id
  return userId
}

/** Until the page shows what it has read. */
export async function expectSettled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

/** That axe finds nothing to complain of in what is shown, once nothing fades in or out any more. */
export async function expectNoFaults(page: Page, where: string, rules?: string[]): Promise<void> {
  await expect
    .poll(() => faultsOf(page, rules), { message: where, timeout: 10_000, interval: 300 })
    .toEqual([])
}

/** The same of both themes, as for somebody whose system changes its own. The page is dark then. */
export async function expectNoFaultsInThemes(page: Page, where: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('html[data-mantine-color-scheme="light"]').waitFor()
  await expectNoFaults(page, `${where}, light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await expectNoFaults(page, `${where}, dark`, OF_THEMES)
}

/** What a theme changes: its elements are the same. */
export const OF_THEMES = ['color-contrast', 'link-in-text-block']

/** That the page is no wider than the screen, and no table wider than what holds it. */
export async function expectFits(page: Page, where: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  const overhang = (): Promise<number> =>
    page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
  const message = `${where} at ${width} pixels`
  await expect.poll(overhang, { message, timeout: 10_000 }).toBeLessThanOrEqual(0)
  await expectTablesFit(page, where, width)
}

/** The same of tables alone, but for one that screen readers alone see. */
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

async function faultsOf(page: Page, rules?: string[]): Promise<string[]> {
  // No page holds another (the policy forbids frames), so none is opened beside it to put their results together.
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze()
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html)
        .join(' | ')
        .slice(0, 400)}`,
  )
}
