import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { type ConsoleRig, expectSettled, startConsole } from './support/console.ts'

const executablePath = inject('chromium')

let rig: ConsoleRig
let page: Page
let sourceId: string
let close: () => Promise<void>

describe.skipIf(executablePath === null)('the focus in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
    const { organization, email } = await rig.settle()
    await push(rig.service, organization, documentOf(organization, { title: 'Travel policy' }))
    sourceId = organization.sources.notion
    for (const name of ['Legal', 'Sales']) {
      const group = { key: organization.adminKey, body: { name, members: [] } }
      await rig.service.call('PUT', `/v1/groups/${name.toLowerCase()}`, group)
    }
    const opened = await rig.openTab()
    page = opened.page
    close = opened.close
    await rig.signIn(page, email)
  })
  afterAll(async () => {
    await close()
    await rig.close()
  })

  it.each([
    ['developers', 'Test a key', undefined],
    ['developers', 'Create a key', undefined],
    ['members', 'Create a group', undefined],
    ['members', 'Actions for Legal', 'Delete the group'],
    ['sources/items', 'Travel policy', undefined],
    ['audit', /^Search/, undefined],
  ])('returns on %s to %s, which opened a dialog that Escape closes', async (path, name, entry) => {
    await page.goto(`${rig.service.url}/console/${path}`)
    await expectSettled(page)
    const opener = page.getByRole('button', { name }).first()
    await opener.focus()
    await page.keyboard.press('Enter')
    if (entry !== undefined) {
      await page.getByRole('menuitem', { name: entry }).focus()
      await page.keyboard.press('Enter')
    }
    await page.getByRole('dialog').waitFor()
    await page.getByRole('dialog').locator(':focus').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await opener.and(page.locator(':focus')).waitFor()
  })

  it("returns to the menu of a source's actions after a dialog that it opened", async () => {
    await page.goto(`${rig.service.url}/console/sources/${sourceId}`)
    await expectSettled(page)
    const opener = page.getByRole('button', { name: 'More actions' })
    for (const [entry, dialog] of [
      ['Rename', 'Rename the source'],
      ['Delete', /^Delete /],
    ] as const) {
      await opener.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('menuitem', { name: entry }).press('Enter')
      await page.getByRole('dialog', { name: dialog }).locator(':focus').waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
      await opener.and(page.locator(':focus')).waitFor()
    }
  })

  it('moves to the heading when its opener was deleted', async () => {
    await page.goto(`${rig.service.url}/console/members`)
    await page.getByRole('button', { name: 'Actions for Sales' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Delete the group' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete group' }).press('Enter')
    const heading = page.getByRole('heading', { name: 'Members', level: 1 })
    await expect.poll(() => heading.and(page.locator(':focus')).count(), { timeout: 60_000 }).toBe(1)
  })

  it('begins in the first field of a dialog that edits a group', async () => {
    await page.goto(`${rig.service.url}/console/members`)
    await page.getByRole('button', { name: 'Actions for Legal' }).click()
    await page.getByRole('menuitem', { name: 'Edit members' }).click()
    const field = page.getByRole('textbox', { name: 'Members' })
    await expect.poll(() => field.and(page.locator(':focus')).count(), { timeout: 60_000 }).toBe(1)
  })
})
