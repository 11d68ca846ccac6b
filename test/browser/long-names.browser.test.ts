import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import {
  type ConsoleRig,
  expectFits,
  expectSettled,
  follow,
  type Settled,
  startConsole,
} from './support/console.ts'

const executablePath = inject('chromium')
/** One word, such as a name made of underscores, that no screen fits on a line. */
const NAME = 'quarterly_reports_of_'.repeat(9)
const ADDRESS = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example.com`
const PHONE = 375
const LAPTOP = 1280

let rig: ConsoleRig

describe.skipIf(executablePath === null)('long names in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(() => rig.close())

  it('keeps every column of a table on the screen', async () => {
    const settled = await settleWithLongNames()
    const { page, close } = await rig.openTab({ viewport: { width: LAPTOP, height: 800 } })
    await rig.signIn(page, settled.email, 'members')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Invite a member' }).click()
    await page.getByLabel('Email address').fill(ADDRESS)
    await page.getByRole('button', { name: 'Create invitation' }).click()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: 'Create a SCIM token' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill(NAME)
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('table', { name: 'SCIM tokens' }).waitFor()
    for (const width of [PHONE, 768, LAPTOP]) await expectFits(page, 'members', width)
    await follow(page, 'developers?tab=requests')
    await page.getByRole('table', { name: 'Requests' }).waitFor()
    for (const width of [PHONE, LAPTOP]) await expectFits(page, 'requests', width)
    await close()
  })

  it('wraps the names in menus, dialogs and drawers', async () => {
    const settled = await settleWithLongNames()
    const { page, close } = await rig.openTab({ viewport: { width: PHONE, height: 800 } })
    await rig.signIn(page, settled.email, 'settings')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Delete this workspace' }).click()
    await page.getByLabel(`Type ${NAME} to confirm`).waitFor()
    await expectNothingBeyond(page, 'dialog')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('button', { name: /^Workspace/ }).click()
    await page.getByRole('menuitem', { name: NAME }).waitFor()
    await expectNothingBeyond(page, 'menu')
    await page.goto(`${rig.service.url}/console/sources/items`)
    await expectSettled(page)
    await page
      .getByRole('table', { name: 'Stored items' })
      .getByRole('button', { name: NAME })
      .first()
      .click()
    await page.getByText(`by ${NAME}`).waitFor()
    await expectNothingBeyond(page, 'dialog')
    await close()
  })
})

/** A workspace whose name, key and item have names without a space. The key has been used. */
async function settleWithLongNames(): Promise<Settled> {
  const settled = await rig.settle()
  const { id, adminKey, sources } = settled.organization
  const { database, call } = rig.service
  await database.db.updateTable('organizations').set({ name: NAME }).where('id', '=', id).execute()
  const made = await call('POST', '/v1/api-keys', {
    key: adminKey,
    body: { name: NAME, allowedActions: ['search', 'ingest'] },
  })
  const key: string = made.body.secret
  const document = {
    connectorId: sources.notion,
    provider: 'notion',
    sourceKind: 'document',
    externalId: NAME,
    title: NAME,
    body: `${NAME} has no spaces.`,
    url: null,
    authorName: NAME,
  }
  const stored = await call('POST', '/v1/ingest', { key, body: { documents: [document] } })
  const found = await call('POST', '/v1/search', { key, body: { query: 'spaces' } })
  expect([made.status, stored.status, found.status]).toEqual([201, 200, 200])
  return settled
}

/** Expects that no text in the overlay with this role ends outside of it. */
async function expectNothingBeyond(page: Page, role: 'dialog' | 'menu'): Promise<void> {
  const overhang = (): Promise<number> =>
    page
      .getByRole(role)
      .last()
      .evaluate((overlay) => {
        const edge = overlay.getBoundingClientRect().right
        const ends = [...overlay.querySelectorAll('label, span, p, div')].map((element) => {
          const text = overlay.ownerDocument.createRange()
          text.selectNodeContents(element)
          return text.getBoundingClientRect().right
        })
        return Math.max(...ends) - edge
      })
  await expect.poll(overhang, { message: `the ${role}`, timeout: 10_000 }).toBeLessThanOrEqual(1)
}
