import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { documentOf } from '../support/documents.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  expectNoFaultsInThemes,
  expectSettled,
  startConsole,
} from './support/console.ts'

const executablePath = inject('chromium')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('the command palette in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(() => rig.close())

  it('opens pages, sources, keys and items with only the keyboard, also from within a field', async () => {
    const { organization, email } = await rig.settle()
    const { id } = await organization.mint()
    const { db } = rig.service.database
    await db.updateTable('api_keys').set({ name: 'Support bot' }).where('id', '=', id).execute()
    await rig.service.call('POST', '/v1/ingest', {
      key: organization.adminKey,
      body: { documents: [documentOf(organization, { title: 'Travel policy' })] },
    })
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'audit')
    await expectSettled(page)
    const field = page.getByRole('combobox', { name: /^Search pages/ })
    const search = async (words: string, option: string | RegExp): Promise<void> => {
      await page.keyboard.press('Control+k')
      await page.locator(':focus').and(field).waitFor()
      await page.keyboard.type(words)
      await page.getByRole('option', { name: option }).first().waitFor()
    }

    await page.getByLabel('Target').focus()
    await search('memb', /^Members/)
    await expectNoFaultsInThemes(page, 'the palette')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Members', level: 1 }).and(page.locator(':focus')).waitFor()

    await search('ask', /^Ask/)
    await page.keyboard.press('Enter')
    // Ask is opened to write.
    await page.getByRole('textbox', { name: 'Question' }).and(page.locator(':focus')).waitFor()
    // Navigation moves the focus once the page is drawn, and must leave it there.
    await expectSettled(page)
    await page.keyboard.type('Who travels?')
    expect(await page.getByRole('textbox', { name: 'Question' }).inputValue()).toBe('Who travels?')

    await search('notion', /^notion/)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/sources/${organization.sources.notion}`)

    await search('support', /^Support bot/)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/developers/keys/${id}`)

    await search('travel', /^Travel policy/)
    expect(await field.getAttribute('aria-activedescendant')).not.toBeNull()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sources\/items\?item=/)
    await close()
  })

  it('asks, changes the theme and the workspace, and returns the focus on Escape', async () => {
    const { email } = await rig.settle()
    const other = await rig.service.organization()
    await rig.join(email, 'owner', other.id)
    const { db } = rig.service.database
    await db
      .updateTable('organizations')
      .set({ name: 'Difference Engines' })
      .where('id', '=', other.id)
      .execute()
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'settings')
    await expectSettled(page)
    const button = page.getByRole('button', { name: 'Search', exact: true })
    await button.press('Enter')
    const field = page.getByRole('combobox', { name: /^Search pages/ })
    await field.fill('dark')
    await field.press('Enter')
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
    await button.press('Enter')
    await field.press('Escape')
    await field.waitFor({ state: 'detached' })
    await button.and(page.locator(':focus')).waitFor()

    await page.keyboard.press('Control+k')
    await field.fill('nothing is called like this')
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toHaveLength(1)
    await field.press('Enter')
    await page.waitForURL('**/ask**')
    await page.getByText('nothing is called like this').first().waitFor()

    await page.keyboard.press('Control+k')
    await field.fill('switch diff')
    await page.getByRole('option', { name: /^Switch to Difference Engines/ }).waitFor()
    await field.press('Enter')
    await page.getByRole('button', { name: /^Workspace Difference Engines/ }).waitFor()
    await close()
  })

  it('offers a member only their pages, fits a phone, and loads after the first view', async () => {
    const { email } = await rig.settle('member')
    const { page, close } = await rig.openTab({ bypassCSP: true, viewport: { width: 390, height: 740 } })
    const loaded: string[] = []
    page.on('response', (response) => loaded.push(response.url()))
    await rig.signIn(page, email)
    await expectSettled(page)
    const dist = new URL('../../console/dist/assets/', import.meta.url)
    const file = (await readdir(dist)).find((name) => /^palette-.*\.js$/.test(name)) ?? 'none'
    expect(loaded.filter((url) => url.endsWith(file))).toEqual([])
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    const pages = page.getByRole('group', { name: 'Pages' }).getByRole('option')
    await pages.first().waitFor()
    expect(loaded.filter((url) => url.endsWith(file))).toHaveLength(1)
    for (const name of ['Audit', 'Billing', 'Members'])
      expect(await pages.filter({ hasText: name }).count()).toBe(0)
    await expectNoFaults(page, 'the palette on a phone')
    await expectFits(page, 'the palette', 390)
    await close()
  })
})
