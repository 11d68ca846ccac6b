import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { VERSION } from '../../src/kernel/version.ts'
import type { TestOrganization } from '../support/service.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  expectNoFaultsInThemes,
  expectSettled,
  startConsole,
} from './support/console.ts'
import { REQUESTS_KEPT_DAYS, THREADS_KEPT_MAX, USAGE_KEPT_DAYS } from '../../src/kernel/retention.ts'

const executablePath = inject('chromium')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('the settings in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(() => rig.close())

  it('tests a model by keyboard, and says how to set the one that is missing', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const { organization, email } = await rig.settle('admin')
    await rig.signIn(page, email, 'settings')
    await expectSettled(page)
    await page.getByText(organization.id).waitFor()
    await page.getByRole('region', { name: 'Language model' }).getByText('LLM_PROVIDER').waitFor()
    const embedding = page.getByRole('region', { name: 'Embedding model' })
    await embedding.getByRole('button', { name: 'Test the embedding model' }).press('Enter')
    await embedding.getByText(/Works: answered in [0-9,]+ ms/).waitFor()
    await expectNoFaultsInThemes(page, 'a tested model')
    await expectFits(page, 'settings', 390)
    await close()
  })

  it('shows the addresses for programs, the version, how to export, and the account with its theme', async () => {
    const { email, name } = await rig.settle('admin')
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'settings')
    await expectSettled(page)
    const service = page.getByRole('region', { name: 'Service' })
    await service.getByText(`${rig.service.url}/mcp`, { exact: true }).waitFor()
    await service.getByText(VERSION, { exact: true }).waitFor()
    const command = await page.getByRole('region', { name: 'the export command' }).innerText()
    expect(command).toContain(`export workspace.jsonl --url ${rig.service.url}`)
    const account = page.getByRole('region', { name: 'Your account' })
    await account.getByText(name, { exact: true }).waitFor()
    await account.getByText('Dark', { exact: true }).click()
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
    await page.getByText('Every member finds every item now').waitFor()
    for (const width of [390, 1024]) await expectFits(page, 'settings', width)
    await close()
  })

  it('links to each section by keyboard, which comes into view below the bar of a phone', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, (await rig.settle()).email, 'settings')
    await expectSettled(page)
    const sections = page.getByRole('navigation', { name: 'Sections' })
    const titles = await sections.getByRole('link').allInnerTexts()
    const headings = page.getByRole('main').getByRole('heading', { level: 2 })
    await expect.poll(() => headings.allInnerTexts()).toEqual(titles)
    for (const [width, top] of [
      [1440, 32],
      [390, 80],
    ] as const) {
      await page.setViewportSize({ width, height: 600 })
      await sections.getByRole('link', { name: 'Models' }).press('Enter')
      await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(300)
      const box = await page.getByRole('region', { name: 'Models' }).boundingBox()
      expect(Math.round(box?.y ?? -1)).toBe(top)
      await page.evaluate('scrollTo(0, 0)')
      await sections.getByRole('link', { name: 'Your account' }).press('Enter')
      await page.keyboard.press('Tab')
      await page
        .getByRole('radio', { name: 'System' })
        .and(page.locator(':focus'))
        .waitFor({ state: 'attached' })
    }
    await expectNoFaults(page, 'the sections on a phone')
    await page.goto('about:blank')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${rig.service.url}/console/settings#leave`)
    await expect.poll(() => page.evaluate('scrollY'), { timeout: 60_000 }).toBeGreaterThan(300)
    const current = sections.locator('[aria-current]')
    await expect.poll(() => current.allInnerTexts()).toEqual(['Leave the workspace'])
    await page.goto('about:blank')
    await page.goto(`${rig.service.url}/console/settings#retention`)
    await page.getByRole('region', { name: 'Embedding model' }).waitFor()
    const retention = page.getByRole('region', { name: 'Data retention' })
    await expect.poll(async () => Math.round((await retention.boundingBox())?.y ?? 0)).toBe(32)
    await sections.getByRole('link', { name: 'Service' }).press('Enter')
    await expect.poll(() => current.allInnerTexts()).toEqual(['Service'])
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await expect.poll(() => current.allInnerTexts()).toEqual(['Delete the workspace'])
    await page.evaluate('scrollTo(0, 0)')
    await expect.poll(() => current.allInnerTexts()).toEqual(['Workspace'])
    await expectNoFaultsInThemes(page, 'the sections beside the settings')
    await close()
  })

  it("shows everyone how long each kind of data is stored, with the service's figures", async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, (await rig.settle('member')).email, 'settings')
    const retention = page.getByRole('region', { name: 'Data retention' })
    await retention.getByText(`${REQUESTS_KEPT_DAYS} days, at most the last 10,000 requests.`).waitFor()
    await retention.getByText(`${USAGE_KEPT_DAYS} days`, { exact: true }).waitFor()
    await retention.getByText(`Beyond ${THREADS_KEPT_MAX} threads of a person`).waitFor()
    await retention.getByText('The service creates none automatically.').waitFor()
    for (const width of [390, 768, 1280]) await expectFits(page, 'data retention', width)
    await close()
  })

  it('says what to do about a failed test', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, (await rig.settle('admin')).email, 'settings')
    const problem = 'The embedding model server rejected the API key.'
    await page.route('**/v1/console/models/test', (route) =>
      route.fulfill({ json: { test: { ok: false, milliseconds: 12, problem, detail: 'HTTP 401' } } }),
    )
    await page.getByRole('button', { name: 'Test the embedding model' }).click()
    const embedding = page.getByRole('region', { name: 'Embedding model' })
    await embedding.getByText(problem).waitFor()
    await embedding.getByText('HTTP 401').waitFor()
    await expectNoFaults(page, 'a failed test')
    await close()
  })

  it('shows a member the workspace and the way out, and nothing to change', async () => {
    const { organization, email } = await rig.settle('member')
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'settings')
    await expectSettled(page)
    await page.getByText(organization.id).waitFor()
    await page.getByRole('button', { name: 'Leave', exact: true }).waitFor()
    await page.getByRole('region', { name: 'Service' }).getByText('MCP', { exact: true }).waitFor()
    for (const name of ['Rename', /^Test/, 'Delete this workspace', 'Copy the export command'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await expectNoFaults(page, "a member's settings")
    await close()
  })

  it('removes the workspace once its owner has typed its name, and opens their other one [OPS-9]', async () => {
    const { organization, email } = await rig.settle()
    const other = await rig.service.organization()
    await rig.join(email, 'owner', other.id)
    await rename(organization, 'Analytical Engines')
    await rename(other, 'Difference Engines')
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'settings')
    await chooseOfWorkspace(page, 'Analytical Engines')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Delete this workspace' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Analytical Engines?' })
    const confirm = dialog.getByRole('button', { name: 'Delete the workspace' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type Analytical Engines to confirm').fill('Difference Engines')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type Analytical Engines to confirm').fill('Analytical Engines')
    await expectNoFaults(page, 'removing the workspace')
    await confirm.click()
    await page.getByRole('heading', { name: 'Difference Engines', level: 1 }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    const key = organization.adminKey
    expect((await rig.service.call('GET', '/v1/sources', { key })).status).toBe(401)
    expect(await rolesIn(organization)).toEqual([])
    expect(await rolesIn(other)).toEqual(['owner'])
    await close()
  })

  it('offers admins no removal of the workspace', async () => {
    const { email } = await rig.settle('admin')
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email, 'settings')
    await expectSettled(page)
    await page.getByRole('heading', { name: 'Workspace', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete this workspace' }).count()).toBe(0)
    await close()
  })

  it('renames the workspace for everyone at once', async () => {
    const { page, close } = await rig.openTab()
    await rig.signIn(page, (await rig.settle()).email, 'settings')
    await expectSettled(page)
    await page.getByRole('textbox', { name: 'Name' }).fill('Analytical Engines')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('button', { name: /^Workspace Analytical Engines/ }).waitFor()
    await close()
  })
})

/** Chooses from the menu of the open workspace. */
async function chooseOfWorkspace(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /^Workspace / }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

async function rename({ id }: TestOrganization, name: string): Promise<void> {
  await rig.service.database.db.updateTable('organizations').set({ name }).where('id', '=', id).execute()
}

async function rolesIn({ id }: TestOrganization): Promise<string[]> {
  const rows = await rig.service.database.db
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', id)
    .execute()
  return rows.map(({ role }) => role)
}
